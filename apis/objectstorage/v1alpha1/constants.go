package v1alpha1

// FinalizerPrefix is the prefix of COSI's finalizers.
const FinalizerPrefix = "cosi.objectstorage.k8s.io/"

// Finalizers keep an object until COSI has cleaned up everything that belongs to it.
const (
	// BucketClaimFinalizer is the controller's finalizer on a BucketClaim.
	BucketClaimFinalizer = FinalizerPrefix + "bucketclaim-protection"
	// BucketFinalizer is the sidecar's finalizer on a Bucket.
	BucketFinalizer = FinalizerPrefix + "bucket-protection"
	// BucketAccessFinalizer is the sidecar's finalizer on a BucketAccess.
	BucketAccessFinalizer = FinalizerPrefix + "bucketaccess-protection"
	// BucketAccessBucketFinalizer keeps a Bucket while a BucketAccess to it exists.
	BucketAccessBucketFinalizer = FinalizerPrefix + "bucketaccess-bucket-protection"
	// SecretFinalizer is the sidecar's finalizer on the Secret of a BucketAccess.
	SecretFinalizer = FinalizerPrefix + "secret-protection"
)

// BucketInfoKey is the key of an access Secret whose value is a BucketInfo as JSON.
const BucketInfoKey = "BucketInfo"
