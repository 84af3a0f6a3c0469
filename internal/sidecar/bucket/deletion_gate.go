package bucket

import (
	"context"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// awaitClaim blocks the deletion as long as the Bucket is bound to a BucketClaim
// that is not being deleted. The sidecar cannot read claims: the annotation, which
// the controller sets, is its evidence. A Bucket that was never bound can be
// deleted.
func (a *attempt) awaitClaim(ctx context.Context) error {
	isBound := a.Object.Spec.BucketClaimRef.UID != ""
	if isBound && !v1alpha2.IsBucketClaimBeingDeleted(a.Object) {
		return reasons.Blocked(v1alpha2.ReasonDeletionBlocked,
			"waiting for BucketClaim %s, to which the Bucket is bound, to be deleted", claimOf(a.Object))
	}
	// No application should start to use a bucket that the driver is deleting.
	a.Object.Status.ReadyToUse = false
	return a.SaveStatus(ctx)
}
