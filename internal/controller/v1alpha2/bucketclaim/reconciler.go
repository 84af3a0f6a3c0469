// Package bucketclaim reconciles BucketClaims. It gives each claim a new or existing Bucket, copies
// the Bucket's state into the claim's status, and separates the two when the claim is deleted. The
// sidecar does the driver's part.
package bucketclaim

import (
	"context"

	"go.opentelemetry.io/otel/trace"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controller/v1alpha2/claimprotection"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/watched"
)

// Reconciler reconciles BucketClaims. It is stateless.
type Reconciler struct {
	Client client.Client
	// Live reads from the API server, where a stale answer would do harm.
	Live      client.Reader
	Recorder  events.EventRecorder
	APIErrors *cosievents.APIErrors
	// Protector sets and removes the annotation that keeps a claim for its BucketAccesses.
	Protector *claimprotection.Protector
	// Namespaces are those whose claims the controller serves.
	Namespaces watched.Namespaces
	// TracerProvider receives a span for each reconcile; nil for none.
	TracerProvider trace.TracerProvider
}

// attempt is one reconcile of one claim. Its phases are its methods.
type attempt struct {
	*Reconciler
	*cosireconcile.Patcher[*v1alpha2.BucketClaim]

	bucket *v1alpha2.Bucket
}

// Runner returns the runner that walks an object through the phases.
func (r *Reconciler) Runner() *cosireconcile.Runner[*v1alpha2.BucketClaim] {
	return &cosireconcile.Runner[*v1alpha2.BucketClaim]{
		Client: r.Client, Recorder: r.Recorder, APIErrors: r.APIErrors,
		Owns:   func(claim *v1alpha2.BucketClaim) bool { return !cosireconcile.IsReleased(claim) },
		Status: statusOf,
		Provision: func(p *cosireconcile.Patcher[*v1alpha2.BucketClaim]) []cosireconcile.Phase {
			a := &attempt{Reconciler: r, Patcher: p}
			return []cosireconcile.Phase{a.addFinalizer, a.unprotect, a.bind, a.syncStatus}
		},
		Deprovision: func(p *cosireconcile.Patcher[*v1alpha2.BucketClaim]) []cosireconcile.Phase {
			a := &attempt{Reconciler: r, Patcher: p}
			return []cosireconcile.Phase{a.unprotect, a.awaitAccesses, a.confirmExists, a.markUnready, a.deleteBucket, a.removeFinalizer}
		},
		WriteStatus: r.Protector.WriteStatus,
	}
}

// statusOf returns the part of a claim's status that the runner maintains. A claim without a
// Bucket, or without the protocols that every provisioned Bucket has, cannot be provisioned.
func statusOf(claim *v1alpha2.BucketClaim) cosireconcile.Status {
	return condition.Status{
		Conditions: &claim.Status.Conditions,
		ReadyToUse: &claim.Status.ReadyToUse,
		Generation: claim.Generation,
		Incomplete: claim.Status.BoundBucketName == "" || len(claim.Status.Protocols) == 0,
		Deleting:   !claim.DeletionTimestamp.IsZero(),
		Unwanted:   isCondemned(claim),
	}
}

// isCondemned reports whether, by the claim's conditions, its Bucket is no longer served.
func isCondemned(claim *v1alpha2.BucketClaim) bool {
	validated := meta.FindStatusCondition(claim.Status.Conditions, v1alpha2.ConditionResourcesValidated)
	return validated != nil && validated.Status == metav1.ConditionFalse && validated.Reason == v1alpha2.ReasonBucketDeleting
}

// conditions returns the claim's conditions, for a phase to change.
func (a *attempt) conditions() condition.Set {
	return condition.For(&a.Object.Status.Conditions, a.Object.Generation)
}

// addFinalizer comes before the creation of anything that would outlive the claim without it.
func (a *attempt) addFinalizer(ctx context.Context) error {
	return a.PatchMetadata(ctx, func(claim *v1alpha2.BucketClaim) {
		controllerutil.AddFinalizer(claim, v1alpha2.ProtectionFinalizer)
	})
}
