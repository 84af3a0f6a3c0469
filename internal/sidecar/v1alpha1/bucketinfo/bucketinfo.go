// Package bucketinfo renders the BucketInfo in the Secrets of applications from the credentials
// that a driver has granted.
package bucketinfo

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
)

// Access is the input for a BucketInfo.
type Access struct {
	Name   string
	Bucket string
	// Protocol is the protocol of the BucketAccess, as spelled by its user, or empty.
	Protocol       v1alpha1.Protocol
	Authentication v1alpha1.AuthenticationType
	// Credentials are the credentials by protocol, as spelled by the driver.
	Credentials map[string]*cosiv1alpha1.CredentialDetails
	// S3Endpoint and S3Region replace those that the driver has not returned.
	S3Endpoint, S3Region string
}

// wireNames are the keys of credentials.
var wireNames = map[v1alpha1.Protocol]string{
	v1alpha1.ProtocolS3:    cosiv1alpha1.CredentialsS3,
	v1alpha1.ProtocolAzure: cosiv1alpha1.CredentialsAzure,
}

// Render returns the BucketInfo as JSON, and the protocol of its credentials, S3 or Azure. It
// ignores credentials for other protocols. With the authentication type IAM a driver may grant no
// credentials. Errors contain no secret.
func (a Access) Render() (data []byte, served v1alpha1.Protocol, err error) {
	info := v1alpha1.BucketInfo{
		Metadata: v1alpha1.BucketInfoMetadata{Name: a.Name},
		Spec: v1alpha1.BucketInfoSpec{
			BucketName: a.Bucket, AuthenticationType: a.Authentication, Protocols: []v1alpha1.Protocol{a.Protocol},
		},
	}
	if served, err = a.serves(); err != nil {
		return nil, "", err
	}
	credentials := a.of(served)
	if err := cosiv1alpha1.CheckSizes(credentials); err != nil {
		return nil, "", fmt.Errorf("the credentials %q are too large: %w", wireNames[served], err)
	}
	values := credentials.GetSecrets()
	switch {
	case values == nil && a.Authentication == v1alpha1.AuthenticationTypeIAM:
	case served == v1alpha1.ProtocolAzure:
		info.Spec.SecretAzure, err = a.azure(values)
	default:
		info.Spec.SecretS3, err = a.s3(values)
	}
	if err != nil {
		return nil, "", err
	}
	data, err = json.Marshal(info)
	return data, served, err
}

// serves returns the protocol of the credentials. If the driver has returned credentials for both
// protocols, or for none, the protocol of the BucketAccess decides.
func (a Access) serves() (v1alpha1.Protocol, error) {
	hasS3, hasAzure := a.of(v1alpha1.ProtocolS3) != nil, a.of(v1alpha1.ProtocolAzure) != nil
	wanted, _ := a.Protocol.Canonical()
	switch {
	case hasAzure && !hasS3:
		return v1alpha1.ProtocolAzure, nil
	case hasAzure == hasS3 && wireNames[wanted] != "":
		return wanted, nil
	case hasAzure && hasS3:
		return "", errors.New("the driver returned credentials for S3 and Azure: set spec.protocol to one of them")
	default:
		return v1alpha1.ProtocolS3, nil
	}
}

// of returns the credentials for a protocol, or nil. Letter case does not matter.
func (a Access) of(protocol v1alpha1.Protocol) *cosiv1alpha1.CredentialDetails {
	wanted := wireNames[protocol]
	if exact := a.Credentials[wanted]; exact != nil {
		return exact
	}
	for _, name := range slices.Sorted(maps.Keys(a.Credentials)) {
		if strings.EqualFold(name, wanted) {
			return a.Credentials[name]
		}
	}
	return nil
}

func (a Access) s3(values map[string]string) (*v1alpha1.SecretS3, error) {
	endpoint, region := cmp.Or(values[cosiv1alpha1.S3Endpoint], a.S3Endpoint), cmp.Or(values[cosiv1alpha1.S3Region], a.S3Region)
	err := a.require(v1alpha1.ProtocolS3, values, cosiv1alpha1.S3AccessKeyID, cosiv1alpha1.S3AccessSecretKey)
	if err == nil && region == "" && endpoint == "" {
		// Amazon's S3 needs only a region.
		if err = a.require(v1alpha1.ProtocolS3, values, cosiv1alpha1.S3Endpoint); err != nil {
			err = fmt.Errorf("%w; start the sidecar with --s3-endpoint", err)
		}
	}
	return &v1alpha1.SecretS3{
		Endpoint: endpoint, Region: region,
		AccessKeyID: values[cosiv1alpha1.S3AccessKeyID], AccessSecretKey: values[cosiv1alpha1.S3AccessSecretKey],
	}, err
}

func (a Access) azure(values map[string]string) (*v1alpha1.SecretAzure, error) {
	if err := a.require(v1alpha1.ProtocolAzure, values, cosiv1alpha1.AzureAccessToken); err != nil {
		return nil, err
	}
	secret := &v1alpha1.SecretAzure{AccessToken: values[cosiv1alpha1.AzureAccessToken]}
	if expiry := values[cosiv1alpha1.AzureExpiry]; expiry != "" {
		at, err := cosiv1alpha1.ParseAzureExpiry(expiry)
		if err != nil {
			return nil, err
		}
		secret.ExpiryTimeStamp = &metav1.Time{Time: at.UTC()}
	}
	return secret, nil
}

// require returns an error unless all keys have a value, if applications authenticate by key. It
// names the keys that the driver did return, but not their values.
func (a Access) require(protocol v1alpha1.Protocol, values map[string]string, keys ...string) error {
	if a.Authentication == v1alpha1.AuthenticationTypeIAM {
		return nil
	}
	missing := slices.DeleteFunc(keys, func(key string) bool { return values[key] != "" })
	if len(missing) == 0 {
		return nil
	}
	var got []string
	for _, name := range slices.Sorted(maps.Keys(a.Credentials)) {
		for _, key := range slices.Sorted(maps.Keys(a.Credentials[name].GetSecrets())) {
			got = append(got, name+"."+key)
		}
	}
	return fmt.Errorf("the driver returned no %s of the credentials %q, which applications need; it returned [%s]",
		strings.Join(missing, ", "), wireNames[protocol], strings.Join(got, " "))
}
