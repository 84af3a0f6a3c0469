package v1alpha2_test

import "testing"

// TestUpdate checks which fields of each kind can change.
// KEP: LIFE-7
func TestUpdate(t *testing.T) {
	// KEP: CHANGE-3, USE-5, API-BUCKET-SPEC-6, API-BUCKET-MUT-1, API-BUCKET-MUT-2
	t.Run("Bucket", testBucketUpdate)
	t.Run("BucketClaim", testBucketClaimUpdate)
	// KEP: USE-5
	t.Run("BucketAccess", testBucketAccessUpdate)
	// KEP: CHANGE-3
	t.Run("BucketClass", testBucketClassUpdate)
	t.Run("BucketAccessClass", testBucketAccessClassUpdate)
}
