package bucket

import (
	"context"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// permission decides whether a Bucket that is being deleted may go.
type permission struct{}

func (*permission) Walk(ctx context.Context, bucket *subject) (bool, error) {
	if isGone(bucket.Object) {
		return false, nil
	}
	if err := mayGo(bucket.Object); err != nil {
		return false, err
	}
	// Nobody should start to use a bucket while the driver is at work on its end.
	bucket.Object.Status.ReadyToUse = false
	return true, bucket.SaveStatus(ctx, cosievents.Deprovision)
}

// mayGo refuses as long as the Bucket is bound to a BucketClaim that is not
// being deleted. The sidecar cannot read claims: the annotation, which the
// controller sets, is its evidence. A Bucket that was never bound may go.
func mayGo(bucket *v1alpha2.Bucket) error {
	bound := bucket.Spec.BucketClaimRef.UID != ""
	if bound && !v1alpha2.IsBucketClaimBeingDeleted(bucket) {
		return reasons.Blocked(v1alpha2.ReasonDeletionBlocked,
			"waiting for BucketClaim %s, to which the Bucket is bound, to be deleted", claimOf(bucket))
	}
	return nil
}
