package bucket

import (
	"context"

	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/inflight"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/uniqueid"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha2/driver"
)

// reconciler provisions and deprovisions the Buckets of one driver.
type reconciler struct {
	served     Served
	driver     *driver.Driver
	line       *inflight.Line
	live       client.Reader // reads from the API server itself
	ids        *uniqueid.Register[*v1alpha2.Bucket]
	released   cosireconcile.Released
	rejections connection.Rejections
}

// attempt is one reconcile of one Bucket. Its phases are its methods.
type attempt struct {
	*reconciler
	*cosireconcile.Patcher[*v1alpha2.Bucket]
}

// NewReconciler returns a reconciler that reads Buckets through a client with a cache, and from the
// API server itself before a creation or deletion in the backend. Its calls to the driver wait in the line for their turn.
func NewReconciler(
	c client.Client, live client.Reader, served Served, line *inflight.Line, recorder events.EventRecorder,
) *cosireconcile.Runner[*v1alpha2.Bucket] {
	return newReconciler(c, live, served, line).runner(c, recorder)
}

func newReconciler(c client.Client, live client.Reader, served Served, line *inflight.Line) *reconciler {
	return &reconciler{served: served, driver: served.Driver, line: line, live: live, ids: uniqueid.New(byID, c, live)}
}

func (r *reconciler) runner(c client.Client, recorder events.EventRecorder) *cosireconcile.Runner[*v1alpha2.Bucket] {
	return &cosireconcile.Runner[*v1alpha2.Bucket]{
		Client: c, Live: r.live, Recorder: recorder, APIErrors: cosievents.NewAPIErrors(recorder),
		Owns: r.owns, Status: runnerStatus, Forget: r.forget,
		Provision: func(p *cosireconcile.Patcher[*v1alpha2.Bucket]) []cosireconcile.Phase {
			a := &attempt{reconciler: r, Patcher: p}
			return []cosireconcile.Phase{a.checkClaim, a.validate, a.addFinalizer, a.generateID, a.provision}
		},
		Deprovision: func(p *cosireconcile.Patcher[*v1alpha2.Bucket]) []cosireconcile.Phase {
			a := &attempt{reconciler: r, Patcher: p}
			return []cosireconcile.Phase{a.awaitClaim, a.deleteBucket, a.removeFinalizer}
		},
	}
}

func (r *reconciler) owns(bucket *v1alpha2.Bucket) bool {
	return r.served.has(bucket) && !cosireconcile.IsReleased(bucket) && !r.released.Has(bucket)
}

func (r *reconciler) forget(_ context.Context, bucket client.ObjectKey) error {
	r.released.Forget(bucket)
	r.rejections.Forget(bucket)
	return nil
}
