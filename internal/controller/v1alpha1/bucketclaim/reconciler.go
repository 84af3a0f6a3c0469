// Package bucketclaim reconciles BucketClaims of v1alpha1. It gives each claim a new or existing
// Bucket, copies its readiness into the claim's status, and removes or releases it when the claim
// is deleted. The sidecar does the driver's part.
//
// In v1alpha1 nothing is immutable, and the objects may be older than this controller. So a binding
// requires that status.bucketName and the UID in the Bucket's reference agree; from then on the
// spec does not count.
package bucketclaim

import (
	"context"
	"encoding/json"

	"go.opentelemetry.io/otel/trace"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/watched"
)

// Reconciler reconciles BucketClaims. Its only state are the reported failures.
type Reconciler struct {
	Client client.Client
	// Live reads from the API server, where a stale answer would do harm.
	Live      client.Reader
	Recorder  events.EventRecorder
	APIErrors *cosievents.APIErrors
	// Strict rejects claims and classes with meaningless values that the API allows.
	Strict bool
	// Namespaces are those whose claims the controller serves.
	Namespaces watched.Namespaces
	// Failures records the obstacles of claims as Events.
	Failures *cosievents.Failures
	// TracerProvider receives a span for each reconcile; nil for none.
	TracerProvider trace.TracerProvider
}

// attempt is one reconcile of one claim. Its phases are its methods.
type attempt struct {
	*Reconciler
	*cosireconcile.Patcher[*v1alpha1.BucketClaim]

	bucket *v1alpha1.Bucket
}

// Runner returns the runner that walks an object through the phases.
func (r *Reconciler) Runner() *cosireconcile.Runner[*v1alpha1.BucketClaim] {
	return &cosireconcile.Runner[*v1alpha1.BucketClaim]{
		Client: r.Client, Live: r.Live, Recorder: r.Recorder, APIErrors: r.APIErrors, Failures: r.Failures, Strict: r.Strict,
		Owns:   func(claim *v1alpha1.BucketClaim) bool { return !isReleased(claim) },
		Status: func(claim *v1alpha1.BucketClaim) cosireconcile.Status { return status{claim: claim} },
		Provision: func(p *cosireconcile.Patcher[*v1alpha1.BucketClaim]) []cosireconcile.Phase {
			a := &attempt{Reconciler: r, Patcher: p}
			return []cosireconcile.Phase{a.checkSpec, a.addFinalizer, a.bind, a.syncStatus}
		},
		Deprovision: func(p *cosireconcile.Patcher[*v1alpha1.BucketClaim]) []cosireconcile.Phase {
			a := &attempt{Reconciler: r, Patcher: p}
			return []cosireconcile.Phase{a.awaitAccesses, a.removeBuckets, a.markUnready, a.removeFinalizer}
		},
		WriteStatus: r.writeStatus,
	}
}

// status is the part of a claim's status that the runner maintains.
type status struct {
	cosireconcile.NoConditions

	claim *v1alpha1.BucketClaim
}

// Conclude implements cosireconcile.Status. A claim is ready only after success of all phases.
func (s status) Conclude(found *reasons.Error) {
	if found != nil || !s.claim.DeletionTimestamp.IsZero() {
		s.claim.Status.BucketReady = false
	}
}

// writeStatus writes the whole status, locked to the version that was read. A patch of the
// difference would lack bucketReady, which the API server requires, when an empty status changes to
// not ready.
func (r *Reconciler) writeStatus(ctx context.Context, claim *v1alpha1.BucketClaim) error {
	data, err := json.Marshal(map[string]any{
		"metadata": map[string]string{"resourceVersion": claim.ResourceVersion},
		"status":   claim.Status,
	})
	if err != nil {
		return err
	}
	return cosireconcile.PatchStatus(ctx, r.Client, claim, client.RawPatch(types.MergePatchType, data))
}

// addFinalizer comes before the creation of anything that would outlive the claim without
// it.
func (a *attempt) addFinalizer(ctx context.Context) error {
	return a.PatchMetadata(ctx, func(claim *v1alpha1.BucketClaim) {
		controllerutil.AddFinalizer(claim, v1alpha1.BucketClaimFinalizer)
	})
}

// isReleased reports whether a deleting claim has no finalizer of the controller any more, so that
// it may have vanished.
func isReleased(claim *v1alpha1.BucketClaim) bool {
	return !claim.DeletionTimestamp.IsZero() && !isKept(claim)
}

func isKept(claim *v1alpha1.BucketClaim) bool {
	return controllerutil.ContainsFinalizer(claim, v1alpha1.BucketClaimFinalizer)
}
