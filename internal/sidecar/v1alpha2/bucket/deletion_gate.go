package bucket

import (
	"context"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// awaitClaim blocks the deletion while the Bucket is bound to a BucketClaim that is not being
// deleted.
func (a *attempt) awaitClaim(ctx context.Context) error {
	if err := checkReleased(a.Object); err != nil {
		return err
	}
	// No application should start to use a bucket that the driver is deleting.
	a.Object.Status.ReadyToUse = false
	return a.SaveStatus(ctx)
}

// checkReleased returns an error if the Bucket is bound to a BucketClaim that is not being deleted.
// The sidecar cannot read claims, and relies on the annotation, which the controller sets. A Bucket
// that was never bound can be deleted.
func checkReleased(bucket *v1alpha2.Bucket) error {
	isBound := bucket.Spec.BucketClaimRef.UID != ""
	if isBound && !v1alpha2.IsBucketClaimBeingDeleted(bucket) {
		return reasons.Blocked(v1alpha2.ReasonDeletionBlocked,
			"waiting for the BucketClaim with UID %s (bound as %s) and its BucketAccesses to be deleted",
			bucket.Spec.BucketClaimRef.UID, claimOf(bucket))
	}
	return nil
}
