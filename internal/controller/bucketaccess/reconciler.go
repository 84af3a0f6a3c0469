// Package bucketaccess reconciles BucketAccesses until their status has all that
// the driver needs to know. That write hands them off to the sidecar. The package
// reconciles them again when the sidecar has cleaned up.
package bucketaccess

import (
	"context"

	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controller/claimprotection"
	"github.com/cosi-emu/cosi-emu/internal/controller/ownership"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
)

// Reconciler reconciles BucketAccesses. It keeps no state of its own.
type Reconciler struct {
	// Client reads from the cache, with the indexes of package index, and writes
	// to the API server.
	Client client.Client
	// Recorder takes the Events.
	Recorder events.EventRecorder
	// APIErrors records errors of the API server as Events.
	APIErrors *cosievents.APIErrors
	// Protector sets and removes the annotation that keeps a claim for its
	// BucketAccesses.
	Protector *claimprotection.Protector
}

// attempt is one reconcile of one access. Its phases are its methods. The claims
// are in the order of the access's spec.
type attempt struct {
	*Reconciler
	*cosireconcile.Patcher[*v1alpha2.BucketAccess]

	class  *v1alpha2.BucketAccessClass
	claims []*v1alpha2.BucketClaim
	// missing are the names of the claims that do not exist.
	missing []string
	buckets []*v1alpha2.Bucket
	// unconfirmed are the claims that were read from the cache only.
	unconfirmed []*v1alpha2.BucketClaim
	// unready says which Bucket is not ready, if one is not.
	unready error
}

// Runner returns the runner that walks an object through the phases.
func (r *Reconciler) Runner() *cosireconcile.Runner[*v1alpha2.BucketAccess] {
	return &cosireconcile.Runner[*v1alpha2.BucketAccess]{
		Client: r.Client, Recorder: r.Recorder, APIErrors: r.APIErrors,
		Owns: owns, Status: statusOf,
		Provision: r.provision, Deprovision: r.deprovision,
	}
}

// provision has the phases up to the hand-off, in the order of the KEP. Whatever
// rules the access out is found before anything is written: an access that
// protected its claims and released them again would cause its own reconciles endlessly.
func (r *Reconciler) provision(p *cosireconcile.Patcher[*v1alpha2.BucketAccess]) []cosireconcile.Phase {
	a := &attempt{Reconciler: r, Patcher: p}
	if ownership.SidecarOwns(p.Object) {
		return []cosireconcile.Phase{a.keepClaims}
	}
	return []cosireconcile.Phase{
		a.findClaims, a.findClass, a.checkRules, a.awaitClaims, a.findBuckets,
		a.addFinalizer, a.clearRejection, a.protectClaims, a.awaitBuckets, a.confirmClaims,
		a.handOff,
	}
}

// deprovision has the phases after the sidecar has cleaned up, or of an access
// that was never handed off.
func (r *Reconciler) deprovision(p *cosireconcile.Patcher[*v1alpha2.BucketAccess]) []cosireconcile.Phase {
	a := &attempt{Reconciler: r, Patcher: p}
	return []cosireconcile.Phase{a.releaseClaims, a.removeFinalizer}
}

// owns reports whether there is something to do for the controller. It leaves a
// deleting access alone while the sidecar has it, and when it has no finalizer of
// ours any more.
func owns(access *v1alpha2.BucketAccess) bool {
	return access.DeletionTimestamp.IsZero() || !ownership.SidecarOwns(access) && !cosireconcile.IsReleased(access)
}

// statusOf returns the part of an access's status that the runner maintains. Only
// the sidecar can find out that an access is provisioned: before the hand-off, a
// status that says so has been edited.
func statusOf(access *v1alpha2.BucketAccess) cosireconcile.Status {
	return condition.Status{
		Conditions: &access.Status.Conditions,
		ReadyToUse: &access.Status.ReadyToUse,
		Generation: access.Generation,
		Incomplete: true,
		Deleting:   !access.DeletionTimestamp.IsZero(),
		Foreign:    ownership.SidecarOwns(access),
	}
}

// conditions returns the access's conditions, for a phase to change.
func (a *attempt) conditions() condition.Set {
	return condition.For(&a.Object.Status.Conditions, a.Object.Generation)
}

// addFinalizer comes before the protection of a claim, which only the deletion of
// this access releases again.
func (a *attempt) addFinalizer(ctx context.Context) error {
	return a.PatchMetadata(ctx, func(access *v1alpha2.BucketAccess) {
		controllerutil.AddFinalizer(access, v1alpha2.ProtectionFinalizer)
	})
}
