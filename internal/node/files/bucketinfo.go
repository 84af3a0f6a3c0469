package files

import (
	"encoding/json"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// protocols are the names of the protocols in v1alpha1.
var protocols = map[v1alpha2.Protocol]v1alpha1.Protocol{
	v1alpha2.ProtocolS3: v1alpha1.ProtocolS3, v1alpha2.ProtocolAzure: v1alpha1.ProtocolAzure, v1alpha2.ProtocolGCS: v1alpha1.ProtocolGCP,
}

// bucketInfo renders the BucketInfo of v1alpha1 from the values of an access Secret of v1alpha2. Its bucketName is
// the bucket's name in the backend, with which clients find the bucket.
func bucketInfo(values map[string]string, access types.UID) ([]byte, error) {
	protocol := v1alpha2.Protocol(values[v1alpha2.SecretKeyProtocol])
	info := v1alpha1.BucketInfo{
		Metadata: v1alpha1.BucketInfoMetadata{Name: v1alpha1.BucketInfoName(access)},
		Spec: v1alpha1.BucketInfoSpec{
			BucketName: values[v1alpha2.SecretKeyBucketName], AuthenticationType: authenticationType(values),
			Protocols: []v1alpha1.Protocol{protocols[protocol]},
		},
	}
	switch protocol {
	case v1alpha2.ProtocolS3:
		info.Spec.SecretS3 = &v1alpha1.SecretS3{
			Endpoint: values[v1alpha2.SecretKeyS3Endpoint], Region: values[v1alpha2.SecretKeyS3Region],
			AccessKeyID: values[v1alpha2.SecretKeyS3AccessKeyID], AccessSecretKey: values[v1alpha2.SecretKeyS3SecretAccessKey],
		}
	case v1alpha2.ProtocolAzure:
		info.Spec.SecretAzure = &v1alpha1.SecretAzure{AccessToken: values[v1alpha2.SecretKeyAzureSASToken]}
		if expires := values[v1alpha2.SecretKeyAzureSASTokenExpires]; expires != "" {
			at, err := time.Parse(time.RFC3339, expires)
			if err != nil {
				return nil, fmt.Errorf("the value of %s is no time in the form of RFC 3339", v1alpha2.SecretKeyAzureSASTokenExpires)
			}
			info.Spec.SecretAzure.ExpiryTimeStamp = &metav1.Time{Time: at}
		}
	default: // BucketInfo has no credentials for others
	}
	return json.Marshal(info)
}

// authenticationType is IAM if the Secret has no credentials: the application authenticates as its ServiceAccount.
func authenticationType(values map[string]string) v1alpha1.AuthenticationType {
	for _, key := range []string{
		v1alpha2.SecretKeyS3SecretAccessKey, v1alpha2.SecretKeyAzureSASToken, v1alpha2.SecretKeyGCSHMACSecret,
	} {
		if values[key] != "" {
			return v1alpha1.AuthenticationTypeKey
		}
	}
	return v1alpha1.AuthenticationTypeIAM
}
