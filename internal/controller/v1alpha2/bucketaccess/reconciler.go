// Package bucketaccess reconciles BucketAccesses until their status contains everything that the
// driver needs. That write hands them off to the sidecar. The package reconciles them again when
// the sidecar has cleaned up.
package bucketaccess

import (
	"context"

	"go.opentelemetry.io/otel/trace"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controller/ownership"
	"github.com/cosi-emu/cosi-emu/internal/controller/v1alpha2/claimprotection"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/watched"
)

// Reconciler reconciles BucketAccesses. It is stateless.
type Reconciler struct {
	Client client.Client
	// Live reads from the API server itself.
	Live      client.Reader
	Recorder  events.EventRecorder
	APIErrors *cosievents.APIErrors
	// Protector sets and removes the annotation that keeps a claim for its BucketAccesses.
	Protector *claimprotection.Protector
	// Namespaces are those whose accesses the controller serves.
	Namespaces watched.Namespaces
	// TracerProvider receives a span for each reconcile; nil for none.
	TracerProvider trace.TracerProvider
}

// attempt is one reconcile of one access. Its phases are its methods. The claims are in the order
// of the access's spec.
type attempt struct {
	*Reconciler
	*cosireconcile.Patcher[*v1alpha2.BucketAccess]

	class  *v1alpha2.BucketAccessClass
	claims []*v1alpha2.BucketClaim
	// missing are the names of the claims that do not exist.
	missing []string
	buckets []*v1alpha2.Bucket
	// unconfirmed are claims that were read from the cache only.
	unconfirmed []*v1alpha2.BucketClaim
	// unready is the error for a Bucket that is not ready, or nil.
	unready error
}

// Runner returns the runner that walks an object through the phases.
func (r *Reconciler) Runner() *cosireconcile.Runner[*v1alpha2.BucketAccess] {
	return &cosireconcile.Runner[*v1alpha2.BucketAccess]{
		Client: r.Client, Live: r.Live, Recorder: r.Recorder, APIErrors: r.APIErrors,
		Owns: owns, Status: statusOf,
		Provision: r.provision, Deprovision: r.deprovision,
	}
}

// provision has the phases up to the hand-off, in the order of the KEP. All reasons to reject the
// access are checked before the first write: an access that protected its claims and released them
// again would cause its own reconciles endlessly.
func (r *Reconciler) provision(p *cosireconcile.Patcher[*v1alpha2.BucketAccess]) []cosireconcile.Phase {
	a := &attempt{Reconciler: r, Patcher: p}
	if ownership.SidecarOwns(p.Object) {
		return []cosireconcile.Phase{a.keepClaims}
	}
	return []cosireconcile.Phase{
		a.findClaims, a.findClass, a.checkRules, a.awaitClaims, a.findBuckets,
		a.addFinalizer, a.clearRejection, a.protectClaims, a.awaitBuckets, a.confirmClaims,
		a.confirmClass, a.handOff,
	}
}

// deprovision has the phases after the sidecar has cleaned up, or of an access that was never
// handed off.
func (r *Reconciler) deprovision(p *cosireconcile.Patcher[*v1alpha2.BucketAccess]) []cosireconcile.Phase {
	a := &attempt{Reconciler: r, Patcher: p}
	return []cosireconcile.Phase{a.releaseClaims, a.removeFinalizer}
}

// owns reports whether the controller must reconcile the access. It ignores a deleting access while
// the sidecar has it, and after the removal of our finalizer.
func owns(access *v1alpha2.BucketAccess) bool {
	return access.DeletionTimestamp.IsZero() || !ownership.SidecarOwns(access) && !cosireconcile.IsReleased(access)
}

// statusOf returns the part of an access's status that the runner maintains. Only the sidecar can
// provision an access: before the hand-off, a status that claims it has been edited.
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

// addFinalizer comes before the protection of a claim, which only the deletion of this access
// releases again.
func (a *attempt) addFinalizer(ctx context.Context) error {
	return a.PatchMetadata(ctx, func(access *v1alpha2.BucketAccess) {
		controllerutil.AddFinalizer(access, v1alpha2.ProtectionFinalizer)
	})
}
