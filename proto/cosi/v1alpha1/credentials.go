package cosi

// The keys of DriverGrantBucketAccessResponse.credentials.
const (
	CredentialsS3    = "s3"
	CredentialsAzure = "azure"
)

// The keys of CredentialDetails.secrets.
const (
	S3AccessKeyID     = "accessKeyID"
	S3AccessSecretKey = "accessSecretKey"
	S3Endpoint        = "endpoint"
	S3Region          = "region"
	AzureAccessToken  = "accessToken"
	AzureExpiry       = "expiryTs"
	AzureExpiryFormat = "2006-01-02 15:04:05.999999999 -0700 MST" // of AzureExpiry, for package time
)

// IsSecretKey reports whether the value of a key of CredentialDetails.secrets is
// secret. It is, unless the protocol defines the key as something else.
func IsSecretKey(key string) bool {
	switch key {
	case S3AccessKeyID, S3Endpoint, S3Region, AzureExpiry:
		return false
	default:
		return true
	}
}
