package v1alpha1

// Protocol is a protocol by which applications use a bucket.
type Protocol string

// The protocols. Google's is spelled GCP, although the documents of COSI spell it GCS.
const (
	ProtocolS3    Protocol = "S3"
	ProtocolAzure Protocol = "Azure"
	ProtocolGCP   Protocol = "GCP"
)

// DeletionPolicy decides whether a bucket is deleted with its Bucket object.
type DeletionPolicy string

const (
	// DeletionPolicyRetain keeps the bucket in the storage backend.
	DeletionPolicyRetain DeletionPolicy = "Retain"
	// DeletionPolicyDelete deletes the bucket in the storage backend.
	DeletionPolicyDelete DeletionPolicy = "Delete"
)

// AuthenticationType is the way in which an application authenticates.
type AuthenticationType string

const (
	// AuthenticationTypeKey is for applications that get a key.
	AuthenticationTypeKey AuthenticationType = "Key"
	// AuthenticationTypeIAM is for applications that use the ServiceAccount of their Pod.
	AuthenticationTypeIAM AuthenticationType = "IAM"
)
