package bucketclaim

import (
	"context"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// bind gives the claim its Bucket: the one that it has, the existing one that it
// names, or a new one. The claim points to the Bucket and the Bucket to the
// claim, with its UID; both must agree ever after.
func (r *Reconciler) bind(ctx context.Context, v *visit) error {
	name := bucketName(v.claim)
	if bound := v.claim.Status.BoundBucketName; bound != "" && bound != name {
		return reasons.Invalid(v1alpha2.ReasonDegraded,
			"status.boundBucketName is %q, but the Bucket of this claim can only be %q", bound, name)
	}
	var err error
	switch {
	case v.claim.Status.BoundBucketName != "":
		v.bucket, err = r.boundBucket(ctx, v, name)
	case v.claim.Spec.ExistingBucketName != "":
		v.bucket, err = r.bindExisting(ctx, v.claim, name)
	default:
		v.bucket, err = r.bindNew(ctx, v.claim, name)
	}
	if err != nil {
		return err
	}
	v.claim.Status.BoundBucketName = name
	return nil
}

// boundBucket returns the Bucket that the claim has been bound to earlier. If it
// is gone it is not created again: that would hide the loss, and would give the
// claim an empty bucket while the old one still holds its data.
func (r *Reconciler) boundBucket(ctx context.Context, v *visit, name string) (*v1alpha2.Bucket, error) {
	claim := v.claim
	bucket, err := r.findSurely(ctx, v, name)
	existing := claim.Spec.ExistingBucketName != ""
	switch {
	case err != nil:
		return nil, err
	case bucket == nil:
		return nil, reasons.Lost(v1alpha2.ReasonBucketLost,
			"Bucket %q, which this claim is bound to, does not exist any more", name)
	case !boundTo(bucket, claim) && (!existing || !unbound(bucket, claim)):
		return nil, reasons.Lost(v1alpha2.ReasonBindingConflict,
			"Bucket %q, which this claim is bound to, belongs to BucketClaim %s", name, owner(bucket))
	case existing:
		return r.adopt(ctx, claim, bucket)
	default:
		return bucket, nil
	}
}
