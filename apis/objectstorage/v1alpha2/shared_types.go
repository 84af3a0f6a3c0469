package v1alpha2

// DeletionPolicy decides whether a Bucket, and its backend bucket, are deleted with the
// BucketClaim.
// +kubebuilder:validation:Enum=Retain;Delete
type DeletionPolicy string

const (
	// DeletionPolicyRetain keeps the Bucket object and the backend bucket.
	DeletionPolicyRetain DeletionPolicy = "Retain"
	// DeletionPolicyDelete deletes the Bucket object and the backend bucket.
	DeletionPolicyDelete DeletionPolicy = "Delete"
)

// Protocol is an object storage protocol.
// +kubebuilder:validation:Enum=S3;Azure;GCS
type Protocol string

const (
	// ProtocolS3 is Amazon's Simple Storage Service protocol.
	ProtocolS3 Protocol = "S3"
	// ProtocolAzure is the protocol of Azure Blob Storage.
	ProtocolAzure Protocol = "Azure"
	// ProtocolGCS is the protocol of Google Cloud Storage.
	ProtocolGCS Protocol = "GCS"
)

// AuthenticationType is the way in which an application authenticates to the backend.
// +kubebuilder:validation:Enum=Key;ServiceAccount
type AuthenticationType string

const (
	// AuthenticationTypeKey means keys or tokens in the access Secret.
	AuthenticationTypeKey AuthenticationType = "Key"
	// AuthenticationTypeServiceAccount means the Pod's ServiceAccount, which
	// the driver has mapped to an identity of the backend.
	AuthenticationTypeServiceAccount AuthenticationType = "ServiceAccount"
)

// BucketAccessMode is the direction of an access.
// +kubebuilder:validation:Enum=ReadWrite;ReadOnly;WriteOnly
type BucketAccessMode string

const (
	// BucketAccessModeReadWrite allows reading and writing.
	BucketAccessModeReadWrite BucketAccessMode = "ReadWrite"
	// BucketAccessModeReadOnly allows reading only.
	BucketAccessModeReadOnly BucketAccessMode = "ReadOnly"
	// BucketAccessModeWriteOnly allows writing only.
	BucketAccessModeWriteOnly BucketAccessMode = "WriteOnly"
)

// MultiBucketAccess says whether one BucketAccess may cover several buckets.
// +kubebuilder:validation:Enum=SingleBucket;MultipleBuckets
type MultiBucketAccess string

const (
	// MultiBucketAccessSingleBucket allows exactly one BucketClaim.
	MultiBucketAccessSingleBucket MultiBucketAccess = "SingleBucket"
	// MultiBucketAccessMultipleBuckets allows one or more BucketClaims.
	MultiBucketAccessMultipleBuckets MultiBucketAccess = "MultipleBuckets"
)
