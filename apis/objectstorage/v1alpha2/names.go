package v1alpha2

import "k8s.io/apimachinery/pkg/types"

const (
	dynamicBucketPrefix = "bc-"
	accountPrefix       = "ba-"
)

// BucketNameForClaim is the name of the Bucket that is created for the
// BucketClaim with the given UID.
func BucketNameForClaim(claim types.UID) string { return dynamicBucketPrefix + string(claim) }

// AccountNameForAccess is the idempotency key by which a driver recognizes the BucketAccess with
// the given UID.
func AccountNameForAccess(access types.UID) string { return accountPrefix + string(access) }
