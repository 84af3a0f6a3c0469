package v1alpha1

import "k8s.io/apimachinery/pkg/types"

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
