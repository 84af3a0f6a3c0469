package bucketclaim

import (
	"context"
	"fmt"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controller/v1alpha2/bucket"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// bind gives the claim its Bucket: the one that it is bound to, the existing one that it names, or
// a new one. The claim refers to the Bucket, and the Bucket to the claim by its UID. From then on
// both must agree.
func (a *attempt) bind(ctx context.Context) (err error) {
	claim, bound := a.Object, a.Object.Status.BoundBucketName
	name := bucket.NameOf(claim)
	if bound != "" && bound != name {
		return reasons.Invalid(v1alpha2.ReasonDegraded,
			"status.boundBucketName is %q, but the Bucket of this claim can only be %q", bound, name)
	}
	switch {
	case bound != "":
		a.bucket, err = a.boundBucket(ctx, name)
	case claim.Spec.ExistingBucketName != "":
		a.bucket, err = a.bindExisting(ctx, claim, name)
	default:
		a.bucket, err = a.bindNew(ctx, claim, name)
	}
	if err == nil && bound == "" {
		claim.Status.BoundBucketName = name
		a.EventOnSave(v1alpha2.ReasonBound, fmt.Sprintf("bound to Bucket %q", name))
	}
	return err
}

// boundBucket returns the Bucket that the claim is already bound to. A missing one is not created
// again: that would hide the loss, and would give the claim an empty bucket while the old one still
// has its data.
func (a *attempt) boundBucket(ctx context.Context, name string) (*v1alpha2.Bucket, error) {
	claim := a.Object
	bucket, err := a.findConfirmed(ctx, name)
	existing := claim.Spec.ExistingBucketName != ""
	switch {
	case err != nil:
		return nil, err
	case bucket == nil:
		return nil, reasons.Lost(v1alpha2.ReasonBucketLost,
			"Bucket %q, which this claim is bound to, does not exist any more", name)
	case !isBoundTo(bucket, claim) && (!existing || !isFree(bucket, claim)):
		return nil, reasons.Lost(v1alpha2.ReasonBindingConflict,
			"Bucket %q, which this claim is bound to, belongs to BucketClaim %s", name, owner(bucket))
	case existing:
		return a.adopt(ctx, claim, bucket)
	default:
		return bucket, nil
	}
}
