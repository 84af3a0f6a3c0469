package bucketclaim

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controller/binding"
	"github.com/cosi-emu/cosi-emu/internal/controller/v1alpha2/bucket"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// confirmExists ends the reconcile of a claim that was already released, which the cache does not
// show yet. Its Bucket belongs to the administrator now: after a change of the policy from Retain
// to Delete, another deletion for the claim would delete the data.
func (a *attempt) confirmExists(ctx context.Context) error {
	key, live := client.ObjectKeyFromObject(a.Object), &v1alpha2.BucketClaim{}
	if err := a.Live.Get(ctx, key, live); err != nil {
		return fmt.Errorf("get BucketClaim %s: %w", key, err)
	}
	if live.UID != a.Object.UID || !controllerutil.ContainsFinalizer(live, v1alpha2.ProtectionFinalizer) {
		return apierrors.NewConflict(v1alpha2.Resource("bucketclaims"), a.Object.Name,
			fmt.Errorf("the BucketClaim with UID %s is released", a.Object.UID))
	}
	return nil
}

// markUnready marks a claim as unusable if another finalizer keeps it after this controller has
// released it. Any other claim vanishes.
func (a *attempt) markUnready(ctx context.Context) error {
	if len(a.Object.GetFinalizers()) <= 1 {
		return nil
	}
	a.Object.Status.ReadyToUse = false
	return a.SaveStatus(ctx)
}

// deleteBucket separates a claim that is being deleted from its Bucket: it announces
// the end of the claim, and with the policy Delete it deletes the Bucket. The claim
// does not wait until the Bucket is gone, which reports its progress itself.
//
// The Bucket is read from the API server: if a cache lags behind and does not show the
// Bucket as bound, the end of the claim would never be announced once it is released.
func (a *attempt) deleteBucket(ctx context.Context) error {
	found, err := get(ctx, a.Live, bucket.NameOf(a.Object))
	if found == nil || err != nil {
		return err
	}
	if !isBoundTo(found, a.Object) {
		return checkForeign(found, a.Object)
	}
	// The announcement comes before the deletion: the sidecar keeps a Bucket whose claim is not
	// being deleted.
	if err := bucket.Announce(ctx, a.Client, found); err != nil {
		return err
	}
	if found.Spec.DeletionPolicy != v1alpha2.DeletionPolicyDelete || mustRetain(found) {
		return nil
	}
	return binding.Delete(ctx, a.Client, found)
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

// removeFinalizer is locked, like every patch of metadata. It fails if the claim has been annotated
// since it was read: then a new access needs it.
func (a *attempt) removeFinalizer(ctx context.Context) error {
	return a.PatchMetadata(ctx, func(claim *v1alpha2.BucketClaim) {
		controllerutil.RemoveFinalizer(claim, v1alpha2.ProtectionFinalizer)
	})
}
