package v1alpha1

import "k8s.io/apimachinery/pkg/types"

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

const (
	bucketPrefix     = "bucket-"
	accountPrefix    = "ba-"
	bucketInfoPrefix = "bc-"
)

// BucketNameForClaim is the name of the Bucket for the BucketClaim with the given UID, and of the
// bucket in the request to the driver.
func BucketNameForClaim(claim types.UID) string { return bucketPrefix + string(claim) }

// AccountNameForAccess is the name of the account for the BucketAccess with the given UID, by which
// the driver recognizes a repeated call.
func AccountNameForAccess(access types.UID) string { return accountPrefix + string(access) }

// BucketInfoName is the name in the BucketInfo of the BucketAccess with the given UID.
func BucketInfoName(access types.UID) string { return bucketInfoPrefix + string(access) }
