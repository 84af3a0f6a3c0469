package bucketclaim

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// deleteBucket separates a claim that is being deleted from its Bucket. With the
// policy Delete it blocks until the Bucket is gone, so that the claim stays as long
// as there is something behind it.
func (a *attempt) deleteBucket(ctx context.Context) error {
	bucket, err := a.findConfirmed(ctx, bucketName(a.Object))
	if bucket == nil || err != nil {
		return err
	}
	if !isBoundTo(bucket, a.Object) {
		return checkForeign(bucket, a.Object)
	}
	if err := a.announceDeletion(ctx, bucket); err != nil {
		return err
	}
	if bucket.Spec.DeletionPolicy != v1alpha2.DeletionPolicyDelete || mustRetain(bucket) {
		return nil
	}
	if err := a.requestDeletion(ctx, bucket); err != nil {
		return err
	}
	syncProvisionFailed(a.conditions(), bucket)
	return reasons.Blocked(v1alpha2.ReasonBucketDeleting, "waiting for Bucket %q to be deleted", bucket.Name)
}

// checkForeign decides about a Bucket of the right name that belongs to another claim.
// The Bucket is left alone. A claim that never had it can be deleted. A claim that had
// it has lost it, and an administrator should know before the last trace is gone.
func checkForeign(bucket *v1alpha2.Bucket, claim *v1alpha2.BucketClaim) error {
	if claim.Spec.ExistingBucketName != "" || claim.Status.BoundBucketName == "" {
		return nil
	}
	return reasons.Lost(v1alpha2.ReasonBindingConflict,
		"Bucket %q, which this claim is bound to, belongs to BucketClaim %s", bucket.Name, owner(bucket))
}

// announceDeletion tells the sidecar that it may deprovision. It comes before the
// deletion: the sidecar keeps a Bucket whose claim is not being deleted.
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

// requestDeletion deletes exactly the Bucket that was read. If its policy has just
// been changed to Retain, or if it is another one of the same name, the
// preconditions fail and the claim is reconciled again.
func (r *Reconciler) requestDeletion(ctx context.Context, bucket *v1alpha2.Bucket) error {
	if !bucket.DeletionTimestamp.IsZero() {
		return nil
	}
	err := r.Client.Delete(ctx, bucket, client.Preconditions{UID: &bucket.UID, ResourceVersion: &bucket.ResourceVersion})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete Bucket %s: %w", bucket.Name, err)
	}
	return nil
}

// removeFinalizer is locked, like every patch of metadata. It fails if the claim
// has been annotated since it was read: then an access has come to need it.
func (a *attempt) removeFinalizer(ctx context.Context) error {
	return a.PatchMetadata(ctx, func(claim *v1alpha2.BucketClaim) {
		controllerutil.RemoveFinalizer(claim, v1alpha2.ProtectionFinalizer)
	})
}
