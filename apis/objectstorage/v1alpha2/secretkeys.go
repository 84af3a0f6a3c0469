package v1alpha2

// Keys of an access Secret, and of Bucket.status.bucketInfo, from the KEP's section "BucketAccess
// Secret data". Where a protocol has well-known environment variables, they are the keys.
const (
	// SecretKeyProtocol is always present: S3, Azure or GCS.
	SecretKeyProtocol = "COSI_PROTOCOL"
	// SecretKeyCertificateAuthority is present if clients need a certificate authority to verify
	// the endpoint: its certificate, in PEM.
	SecretKeyCertificateAuthority = "COSI_CERTIFICATE_AUTHORITY"

	// SecretKeyBucketName is the name of the bucket in the backend, for S3 and
	// GCS.
	SecretKeyBucketName = "BUCKET_NAME"

	SecretKeyS3Endpoint        = "AWS_ENDPOINT_URL"
	SecretKeyS3Region          = "AWS_DEFAULT_REGION"
	SecretKeyS3AddressingStyle = "AWS_S3_ADDRESSING_STYLE"
	SecretKeyS3AccessKeyID     = "AWS_ACCESS_KEY_ID"
	SecretKeyS3SecretAccessKey = "AWS_SECRET_ACCESS_KEY"

	SecretKeyAzureStorageAccount  = "AZURE_STORAGE_ACCOUNT"
	SecretKeyAzureSASToken        = "AZURE_STORAGE_SAS_TOKEN"
	SecretKeyAzureSASTokenExpires = "AZURE_STORAGE_SAS_TOKEN_EXPIRY_TIMESTAMP"

	SecretKeyGCSProjectID      = "PROJECT_ID"
	SecretKeyGCSHMACAccessID   = "HMAC_ACCESS_ID"
	SecretKeyGCSHMACSecret     = "HMAC_SECRET"
	SecretKeyGCSPrivateKeyID   = "PRIVATE_KEY_ID"
	SecretKeyGCSServiceAccount = "SERVICE_ACCOUNT_NAME"
)

// Values of the key AWS_S3_ADDRESSING_STYLE.
const (
	S3AddressingStylePath    = "path"
	S3AddressingStyleVirtual = "virtual"
)
