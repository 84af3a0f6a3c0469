package bucketclaim

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// bindExisting returns the Bucket that an administrator has created for the claim.
func (r *Reconciler) bindExisting(ctx context.Context, claim *v1alpha2.BucketClaim, name string) (*v1alpha2.Bucket, error) {
	bucket, err := get(ctx, r.Client, name)
	switch {
	case err != nil:
		return nil, err
	case bucket == nil:
		return nil, reasons.Waiting(v1alpha2.ReasonBucketNotFound, "waiting for Bucket %q, which does not exist", name)
	case !isBoundTo(bucket, claim) && !isFree(bucket, claim):
		return nil, reasons.Invalid(v1alpha2.ReasonBindingConflict,
			"Bucket %q is for BucketClaim %s, not for this one", name, owner(bucket))
	default:
		return r.adopt(ctx, claim, bucket)
	}
}

// adopt checks an existing Bucket for the claim, and binds it by setting the UID in its reference.
// Once set, the UID is immutable.
func (r *Reconciler) adopt(ctx context.Context, claim *v1alpha2.BucketClaim, bucket *v1alpha2.Bucket) (*v1alpha2.Bucket, error) {
	reject := rejection(claim, bucket)
	if mustRetain(bucket) {
		return nil, reject(v1alpha2.ReasonDeletionPolicyNotAllowed,
			"Bucket %q refers to an existing bucket, which COSI must not delete: set its deletionPolicy to %s",
			bucket.Name, v1alpha2.DeletionPolicyRetain)
	}
	if isBoundTo(bucket, claim) {
		return bucket, nil
	}
	if !bucket.DeletionTimestamp.IsZero() {
		return nil, reject(v1alpha2.ReasonBucketDeleting, "Bucket %q is being deleted", bucket.Name)
	}
	if bucket.Spec.ExistingBucketID == "" {
		return nil, reject(v1alpha2.ReasonInvalidSpec,
			"Bucket %q has no spec.existingBucketID, so it would be a new and empty bucket: create it again with the ID of the existing bucket",
			bucket.Name)
	}
	before := bucket.DeepCopy()
	bucket.Spec.BucketClaimRef.UID = claim.UID
	// The lock keeps the claim from binding a later Bucket of the name, or one that another claim
	// has bound.
	if err := r.Client.Patch(ctx, bucket, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return nil, fmt.Errorf("bind Bucket %s: %w", bucket.Name, err)
	}
	return bucket, nil
}

// rejection returns the constructor of the error for a Bucket that the claim cannot bind. A claim that was bound has
// lost its earlier Bucket of that name, and so is not ready to use any more.
func rejection(claim *v1alpha2.BucketClaim, bucket *v1alpha2.Bucket) func(reason, format string, args ...any) error {
	if claim.Status.BoundBucketName != "" && !isBoundTo(bucket, claim) {
		return reasons.Lost
	}
	return reasons.Invalid
}

// mustRetain reports whether the Bucket has the deletion policy Delete although COSI did not create
// its bucket. Such data is never deleted for a claim.
func mustRetain(bucket *v1alpha2.Bucket) bool {
	return bucket.Spec.ExistingBucketID != "" && bucket.Spec.DeletionPolicy == v1alpha2.DeletionPolicyDelete
}
