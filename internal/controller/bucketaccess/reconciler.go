// Package bucketaccess reconciles BucketAccesses up to the moment when all that
// the driver needs to know is in the status, which hands them to the sidecar,
// and again from the moment when the sidecar has cleaned up.
package bucketaccess

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controller/claimprotection"
	"github.com/cosi-emu/cosi-emu/internal/controller/ownership"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/retry"
)

// Reconciler reconciles BucketAccesses. It keeps no state of its own.
type Reconciler struct {
	// Client reads from the cache, with the indexes of package index, and writes
	// to the API server.
	Client client.Client
	// Recorder takes the Events.
	Recorder events.EventRecorder
	// Obstacles tells of what the API server refuses.
	Obstacles *cosievents.Obstacles
	// References keeps the annotation that holds a claim for its accesses.
	References *claimprotection.Keeper
}

// visit is one reconcile of one access, as the phases hand it on. The claims are
// in the order of the access's spec.
type visit struct {
	access  *v1alpha2.BucketAccess
	class   *v1alpha2.BucketAccessClass
	claims  []*v1alpha2.BucketClaim
	buckets []*v1alpha2.Bucket
	// unconfirmed are the claims of which only the cache has been asked.
	unconfirmed []*v1alpha2.BucketClaim
	// unready is the finding about the Buckets, if some of them have to be
	// waited for.
	unready error
}

// phase does one step. A finding ends the visit and goes into the conditions;
// any other error is tried again. Phases leave the status alone: a write to the
// metadata brings back the status from the API server.
type phase func(context.Context, *visit) error

// Reconcile brings one access forward as far as it can get.
func (r *Reconciler) Reconcile(ctx context.Context, access *v1alpha2.BucketAccess) (reconcile.Result, error) {
	v, action, step := &visit{access: access}, cosievents.Provision, r.grant
	switch {
	case !access.DeletionTimestamp.IsZero():
		action, step = cosievents.Deprovision, r.finalize
	case ownership.SidecarOwns(access):
		step = r.guard
	}
	return retry.Quietly(ctx, r.Obstacles.Tell(access, action, step(ctx, v)))
}

func (r *Reconciler) grant(ctx context.Context, v *visit) error {
	return r.report(ctx, v, r.prepare(ctx, v))
}

// prepare walks up to the hand-off, in the order of the KEP. Whatever rules the
// access out is found before anything is written: an access that came and went
// with its claims' annotations would wake itself for ever.
func (r *Reconciler) prepare(ctx context.Context, v *visit) error {
	for _, phase := range []phase{
		r.findClass, r.checkRules, r.findClaims, r.findBuckets,
		r.protect, r.revive, r.holdClaims, r.awaitBuckets, r.confirmClaims,
	} {
		if err := phase(ctx, v); err != nil {
			return err
		}
	}
	return nil
}

// report writes down what prepare has found, or hands the access off if nothing
// stood in the way. A permanent finding becomes a terminal error the first time,
// so that it is logged and counted once.
func (r *Reconciler) report(ctx context.Context, v *visit, err error) error {
	found, isFinding := reasons.As(err)
	if err != nil && !isFinding {
		return err
	}
	before := v.access.DeepCopy()
	conditions := condition.Of(&v.access.Status.Conditions, v.access.Generation)
	distrust(v.access, conditions)
	if isFinding {
		conditions.Record(found)
	} else {
		handOff(v, conditions)
	}
	if equality.Semantic.DeepEqual(before.Status, v.access.Status) {
		return nil
	}
	if err := r.saveStatus(ctx, before, v.access, cosievents.Provision); err != nil {
		return err
	}
	if isFinding && found.Permanent() {
		return reconcile.TerminalError(found)
	}
	return nil
}

// distrust takes back what only the sidecar can know, and has not been asked for
// yet: somebody else has written it.
func distrust(access *v1alpha2.BucketAccess, conditions condition.Set) {
	access.Status.ReadyToUse = false
	if conditions.Provisioned() {
		conditions.Forget(v1alpha2.ConditionProvisioned)
	}
}

// saveStatus writes the status, if it has changed, and then tells of the change.
func (r *Reconciler) saveStatus(ctx context.Context, before, access *v1alpha2.BucketAccess, action cosievents.Action) error {
	if equality.Semantic.DeepEqual(before.Status, access.Status) {
		return nil
	}
	if err := r.writeStatus(ctx, before, access); err != nil {
		return err
	}
	cosievents.Changes(r.Recorder, access, action, before.Status.Conditions, access.Status.Conditions)
	return nil
}

// writeStatus writes with a lock: if the cache was behind and the access has
// been handed off already, the status is the sidecar's.
func (r *Reconciler) writeStatus(ctx context.Context, before, access *v1alpha2.BucketAccess) error {
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.Client.Status().Patch(ctx, access, patch); err != nil {
		return fmt.Errorf("write status of BucketAccess %s: %w", client.ObjectKeyFromObject(access), err)
	}
	return nil
}

// protect sets the finalizer, before any claim is touched that only the deletion
// of this access lets go again. The lock is for the list, which a merge patch
// replaces.
func (r *Reconciler) protect(ctx context.Context, v *visit) error {
	before := v.access.DeepCopy()
	if !controllerutil.AddFinalizer(v.access, v1alpha2.ProtectionFinalizer) {
		return nil
	}
	return r.patchFinalizers(ctx, before, v.access)
}

func (r *Reconciler) patchFinalizers(ctx context.Context, before, access *v1alpha2.BucketAccess) error {
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.Client.Patch(ctx, access, patch); err != nil {
		return fmt.Errorf("write finalizers of BucketAccess %s: %w", client.ObjectKeyFromObject(access), err)
	}
	return nil
}

var _ reconcile.ObjectReconciler[*v1alpha2.BucketAccess] = &Reconciler{}
