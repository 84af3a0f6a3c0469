package bucket

import (
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// NameOf returns the name of a claim's Bucket, existing or not. It follows from immutable fields,
// and not from the status, which may have been edited.
func NameOf(claim *v1alpha2.BucketClaim) string {
	if existing := claim.Spec.ExistingBucketName; existing != "" {
		return existing
	}
	return v1alpha2.BucketNameForClaim(claim.UID)
}
