package staticdriver

import (
	"cmp"
	"net/url"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// bucketInfo has a long name in the protocol.
type bucketInfo = cosiv1alpha2.ObjectProtocolAndBucketInfo

// protocol describes a protocol of objects.
type protocol struct {
	wireType cosiv1alpha2.ObjectProtocol_Type
	// required are the keys without which applications cannot use a bucket.
	required []string
	// addBucket adds the address of a bucket.
	addBucket func(info *bucketInfo, id string, v values) error
	// credentials returns the credentials of the Secret.
	credentials func(v values) *cosiv1alpha2.CredentialInfo
}

// protocols are all protocols of COSI.
var protocols = []protocol{
	{
		wireType:  cosiv1alpha2.ObjectProtocol_S3,
		required:  []string{v1alpha2.SecretKeyS3Endpoint, v1alpha2.SecretKeyS3AccessKeyID, v1alpha2.SecretKeyS3SecretAccessKey},
		addBucket: addS3Bucket,
		credentials: func(v values) *cosiv1alpha2.CredentialInfo {
			return &cosiv1alpha2.CredentialInfo{S3: &cosiv1alpha2.S3CredentialInfo{
				AccessKeyId: v.secret[v1alpha2.SecretKeyS3AccessKeyID], AccessSecretKey: v.secret[v1alpha2.SecretKeyS3SecretAccessKey],
			}}
		},
	},
	{
		wireType: cosiv1alpha2.ObjectProtocol_AZURE,
		required: []string{v1alpha2.SecretKeyAzureStorageAccount, v1alpha2.SecretKeyAzureSASToken},
		addBucket: func(info *bucketInfo, _ string, v values) error {
			info.Azure = &cosiv1alpha2.AzureBucketInfo{StorageAccount: v.get(v1alpha2.SecretKeyAzureStorageAccount)}
			return nil
		},
		credentials: func(v values) *cosiv1alpha2.CredentialInfo {
			return &cosiv1alpha2.CredentialInfo{Azure: &cosiv1alpha2.AzureCredentialInfo{
				AccessToken: v.secret[v1alpha2.SecretKeyAzureSASToken], ExpiryTimestamp: v.secret[v1alpha2.SecretKeyAzureSASTokenExpires],
			}}
		},
	},
	{
		wireType: cosiv1alpha2.ObjectProtocol_GCS,
		required: []string{v1alpha2.SecretKeyGCSProjectID, v1alpha2.SecretKeyGCSHMACAccessID, v1alpha2.SecretKeyGCSHMACSecret},
		addBucket: func(info *bucketInfo, id string, v values) error {
			info.Gcs = &cosiv1alpha2.GcsBucketInfo{ProjectId: v.get(v1alpha2.SecretKeyGCSProjectID), BucketName: id}
			return nil
		},
		credentials: func(v values) *cosiv1alpha2.CredentialInfo {
			return &cosiv1alpha2.CredentialInfo{Gcs: &cosiv1alpha2.GcsCredentialInfo{
				AccessId: v.secret[v1alpha2.SecretKeyGCSHMACAccessID], AccessSecret: v.secret[v1alpha2.SecretKeyGCSHMACSecret],
			}}
		},
	},
}

// protocolOf returns the protocol of a request.
func protocolOf(asked *cosiv1alpha2.ObjectProtocol) (protocol, error) {
	for _, one := range protocols {
		if one.wireType == asked.GetType() {
			return one, nil
		}
	}
	return protocol{}, invalid("protocol %s is not supported: it must be S3, AZURE or GCS", asked.GetType())
}

func addS3Bucket(info *bucketInfo, id string, v values) error {
	endpoint := v.get(v1alpha2.SecretKeyS3Endpoint)
	s3 := &cosiv1alpha2.S3BucketInfo{BucketId: id, Endpoint: endpoint, Region: cmp.Or(v.get(v1alpha2.SecretKeyS3Region), DefaultRegion)}
	if endpoint != "" && !isURL(endpoint) {
		return v.invalidValue(v1alpha2.SecretKeyS3Endpoint, "a URL such as https://s3.example.com")
	}
	switch cmp.Or(v.get(v1alpha2.SecretKeyS3AddressingStyle), defaultAddressingStyle) {
	case v1alpha2.S3AddressingStylePath:
		s3.AddressingStyle = &cosiv1alpha2.S3AddressingStyle{Style: cosiv1alpha2.S3AddressingStyle_PATH}
	case v1alpha2.S3AddressingStyleVirtual:
		s3.AddressingStyle = &cosiv1alpha2.S3AddressingStyle{Style: cosiv1alpha2.S3AddressingStyle_VIRTUAL}
	default:
		return v.invalidValue(v1alpha2.SecretKeyS3AddressingStyle, v1alpha2.S3AddressingStylePath+" or "+v1alpha2.S3AddressingStyleVirtual)
	}
	info.S3 = s3
	return nil
}

func isURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && u.User == nil && (u.Scheme == "http" || u.Scheme == "https")
}

// invalidValue is the error of a value, which it does not contain, because it may be from a Secret.
func (v values) invalidValue(key, allowed string) error {
	if v.parameters[key] != "" {
		return invalid("parameter %s must be %s", key, allowed)
	}
	return incomplete("key %s of the Secret that the class names must be %s", key, allowed)
}
