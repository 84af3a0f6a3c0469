package bucketclaim

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// leaveBucket parts a claim that is being deleted from its Bucket. With policy
// Delete it returns a finding until the Bucket is gone, so that the claim stays
// as long as there is something behind it.
func (r *Reconciler) leaveBucket(ctx context.Context, v *visit) error {
	bucket, err := r.findSurely(ctx, v, bucketName(v.claim))
	if bucket == nil || err != nil {
		return err
	}
	if !boundTo(bucket, v.claim) {
		return strangers(bucket, v.claim)
	}
	if err := r.announceDeletion(ctx, bucket); err != nil {
		return err
	}
	if bucket.Spec.DeletionPolicy != v1alpha2.DeletionPolicyDelete || keptByForce(bucket) {
		return nil
	}
	if err := r.deleteBucket(ctx, bucket); err != nil {
		return err
	}
	mirrorProvisionFailed(condition.Of(&v.claim.Status.Conditions, v.claim.Generation), bucket)
	return reasons.Blocked(v1alpha2.ReasonBucketDeleting, "waiting for Bucket %q to be deleted", bucket.Name)
}

// strangers decides about a Bucket of the right name that belongs to another
// claim. It is left alone. A claim that never had it can go; one that had it has
// lost it, and an administrator should know before the last trace is gone.
func strangers(bucket *v1alpha2.Bucket, claim *v1alpha2.BucketClaim) error {
	if claim.Spec.ExistingBucketName != "" || claim.Status.BoundBucketName == "" {
		return nil
	}
	return reasons.Lost(v1alpha2.ReasonBindingConflict,
		"Bucket %q, which this claim is bound to, belongs to BucketClaim %s", bucket.Name, owner(bucket))
}

// announceDeletion tells the sidecar that it may deprovision. It comes before
// the deletion: the sidecar keeps a Bucket whose claim is not going.
func (r *Reconciler) announceDeletion(ctx context.Context, bucket *v1alpha2.Bucket) error {
	if metav1.HasAnnotation(bucket.ObjectMeta, v1alpha2.BucketClaimBeingDeletedAnnotation) {
		return nil
	}
	before := bucket.DeepCopy()
	metav1.SetMetaDataAnnotation(&bucket.ObjectMeta, v1alpha2.BucketClaimBeingDeletedAnnotation, "")
	if err := r.Client.Patch(ctx, bucket, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("annotate Bucket %s: %w", bucket.Name, err)
	}
	return nil
}

// deleteBucket deletes exactly the Bucket that was looked at: if its policy has
// just been changed to Retain, or if it is another one of the same name, the
// preconditions fail and the claim is reconciled again.
func (r *Reconciler) deleteBucket(ctx context.Context, bucket *v1alpha2.Bucket) error {
	if !bucket.DeletionTimestamp.IsZero() {
		return nil
	}
	err := r.Client.Delete(ctx, bucket, client.Preconditions{UID: &bucket.UID, ResourceVersion: &bucket.ResourceVersion})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete Bucket %s: %w", bucket.Name, err)
	}
	return nil
}

// unprotect removes the finalizer. The lock makes it fail if the claim has been
// annotated since it was read: then an access has come to need it.
func (r *Reconciler) unprotect(ctx context.Context, v *visit) error {
	before := v.claim.DeepCopy()
	if !controllerutil.RemoveFinalizer(v.claim, v1alpha2.ProtectionFinalizer) {
		return nil
	}
	return r.patchFinalizers(ctx, before, v.claim)
}
