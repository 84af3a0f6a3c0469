// Package bucketclaim reconciles BucketClaims: it gives each a Bucket, newly
// created or existing, tells the user how the Bucket is doing, and takes the two
// apart again when the claim is deleted. The driver's side of a Bucket is the
// sidecar's.
package bucketclaim

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controller/claimprotection"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/retry"
)

// Reconciler reconciles BucketClaims. It keeps no state of its own.
type Reconciler struct {
	// Client reads from the cache, with the indexes of package index, and writes
	// to the API server.
	Client client.Client
	// Live reads from the API server, where a stale answer would do harm.
	Live client.Reader
	// Recorder takes the Events.
	Recorder events.EventRecorder
	// Obstacles tells of what the API server refuses.
	Obstacles *cosievents.Obstacles
	// References keeps the annotation that holds a claim for its accesses.
	References *claimprotection.Keeper
}

// visit is one reconcile of one claim, as the phases hand it on.
type visit struct {
	claim  *v1alpha2.BucketClaim
	bucket *v1alpha2.Bucket
	again  bool // is necessary: the cache and the API server do not agree
}

// phase does one step. A finding ends the visit and goes into the conditions;
// any other error is tried again.
type phase func(context.Context, *visit) error

// Reconcile brings one claim forward as far as it can get.
func (r *Reconciler) Reconcile(ctx context.Context, claim *v1alpha2.BucketClaim) (reconcile.Result, error) {
	action, phases := cosievents.Provision, []phase{r.releaseReferences, r.bind, r.mirror}
	if !claim.DeletionTimestamp.IsZero() {
		if !controllerutil.ContainsFinalizer(claim, v1alpha2.ProtectionFinalizer) {
			return reconcile.Result{}, nil
		}
		action, phases = cosievents.Deprovision, []phase{r.releaseReferences, r.awaitAccesses, r.leaveBucket, r.unprotect}
	} else if err := r.protect(ctx, claim); err != nil {
		return retry.Quietly(ctx, r.Obstacles.Tell(claim, action, err))
	}
	stored := claim.DeepCopy()
	distrust(claim)
	v := &visit{claim: claim}
	err := r.report(ctx, action, stored, claim, walk(ctx, v, phases))
	result, err := retry.Quietly(ctx, r.Obstacles.Tell(claim, action, err))
	if v.again && err == nil {
		return retry.WithBackOff(), nil
	}
	return result, err
}

func walk(ctx context.Context, v *visit, phases []phase) error {
	for _, phase := range phases {
		if err := phase(ctx, v); err != nil {
			return err
		}
	}
	return nil
}

// report writes the status, if it has changed, and then tells of the change. A
// permanent finding becomes a terminal error the first time, so that it is
// logged and counted once.
func (r *Reconciler) report(
	ctx context.Context, action cosievents.Action, stored, claim *v1alpha2.BucketClaim, err error,
) error {
	found, isFinding := reasons.As(err)
	if err != nil && !isFinding || gone(claim) {
		return err
	}
	conditions := condition.Of(&claim.Status.Conditions, claim.Generation)
	if isFinding {
		conditions.Record(found)
	}
	claim.Status.ReadyToUse = conditions.Provisioned() && claim.DeletionTimestamp.IsZero()
	if equality.Semantic.DeepEqual(stored.Status, claim.Status) {
		return nil
	}
	if err := r.writeStatus(ctx, claim); err != nil {
		return err
	}
	if stored.Status.BoundBucketName == "" && claim.Status.BoundBucketName != "" {
		r.announceBound(claim)
	}
	cosievents.Changes(r.Recorder, claim, action, stored.Status.Conditions, claim.Status.Conditions)
	if isFinding && found.Permanent() {
		return reconcile.TerminalError(found)
	}
	return nil
}

// announceBound tells the user that the claim has its Bucket.
func (r *Reconciler) announceBound(claim *v1alpha2.BucketClaim) {
	r.Recorder.Eventf(claim, nil, corev1.EventTypeNormal, v1alpha2.ReasonBound, string(cosievents.Provision),
		"bound to Bucket %q", claim.Status.BoundBucketName)
}

// writeStatus sends the whole status, not the difference to a copy that may be
// old: this controller is the only one to write it, so the last word is right,
// and needs no lock that the annotations of BucketAccesses would break.
func (r *Reconciler) writeStatus(ctx context.Context, claim *v1alpha2.BucketClaim) error {
	base := claim.DeepCopy()
	base.Status = v1alpha2.BucketClaimStatus{}
	sent := claim.DeepCopy()
	if err := r.Client.Status().Patch(ctx, sent, client.MergeFrom(base)); err != nil {
		return fmt.Errorf("write status of BucketClaim %s: %w", client.ObjectKeyFromObject(claim), err)
	}
	return nil
}

// gone reports whether the claim has just lost its finalizer, after which there
// is nothing left to write to.
func gone(claim *v1alpha2.BucketClaim) bool {
	return !claim.DeletionTimestamp.IsZero() && !controllerutil.ContainsFinalizer(claim, v1alpha2.ProtectionFinalizer)
}

// protect sets the finalizer, before anything is created that would outlive the
// claim without it.
func (r *Reconciler) protect(ctx context.Context, claim *v1alpha2.BucketClaim) error {
	before := claim.DeepCopy()
	if !controllerutil.AddFinalizer(claim, v1alpha2.ProtectionFinalizer) {
		return nil
	}
	return r.patchFinalizers(ctx, before, claim)
}

// patchFinalizers writes with a lock, because a merge patch replaces the list.
func (r *Reconciler) patchFinalizers(ctx context.Context, before, claim *v1alpha2.BucketClaim) error {
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.Client.Patch(ctx, claim, patch); err != nil {
		return fmt.Errorf("write finalizers of BucketClaim %s: %w", client.ObjectKeyFromObject(claim), err)
	}
	return nil
}

var _ reconcile.ObjectReconciler[*v1alpha2.BucketClaim] = &Reconciler{}
