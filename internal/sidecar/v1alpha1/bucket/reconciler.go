// Package bucket provisions the Buckets of one driver of v1alpha1 in its backend, and deprovisions
// them. The driver returns the ID of a bucket only after its creation. So the finalizer, which is
// written before, means that a bucket with an unknown ID may exist; the deletion learns the ID by
// repeating the call, which is idempotent.
package bucket

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/inflight"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/uniqueid"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha1/driver"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha1/giveup"
)

// reconciler provisions and deprovisions the Buckets of one driver.
type reconciler struct {
	served     Served
	driver     *driver.Driver
	line       *inflight.Line
	cached     client.Client
	live       client.Reader
	ids        *uniqueid.Register[*v1alpha1.Bucket]
	released   cosireconcile.Released
	rejections connection.Rejections
	failures   giveup.Counter
}

// attempt is one reconcile of one Bucket. Its phases are its methods.
type attempt struct {
	*reconciler
	*cosireconcile.Patcher[*v1alpha1.Bucket]

	sharedBy string // the name of another Bucket, for which the bucket stays in the backend
}

// NewReconciler returns a reconciler that reads Buckets through a client with a cache, and from the
// API server itself before each call to the driver. Its calls wait in the line for their turn.
func NewReconciler(
	c client.Client, live client.Reader, served Served, line *inflight.Line, recorder cosievents.Recorder,
) *cosireconcile.Runner[*v1alpha1.Bucket] {
	return newReconciler(c, live, served, line).runner(c, recorder)
}

func newReconciler(c client.Client, live client.Reader, served Served, line *inflight.Line) *reconciler {
	return &reconciler{served: served, driver: served.Driver, line: line, cached: c, live: live, ids: uniqueid.New(byID, c, live)}
}

func (r *reconciler) runner(c client.Client, recorder cosievents.Recorder) *cosireconcile.Runner[*v1alpha1.Bucket] {
	return &cosireconcile.Runner[*v1alpha1.Bucket]{
		Client: c, Live: r.live, Recorder: recorder,
		APIErrors: cosievents.NewAPIErrors(recorder), Failures: cosievents.NewFailures(recorder),
		Owns:   r.owns,
		Status: func(*v1alpha1.Bucket) cosireconcile.Status { return cosireconcile.NoConditions{} },
		Forget: r.forget,
		Provision: func(p *cosireconcile.Patcher[*v1alpha1.Bucket]) []cosireconcile.Phase {
			a := &attempt{reconciler: r, Patcher: p}
			return []cosireconcile.Phase{a.addFinalizer, a.inheritParameters, a.provision}
		},
		Deprovision: func(p *cosireconcile.Patcher[*v1alpha1.Bucket]) []cosireconcile.Phase {
			a := &attempt{reconciler: r, Patcher: p}
			return []cosireconcile.Phase{a.awaitAccesses, a.deleteBucket, a.removeFinalizer}
		},
	}
}

// owns reports whether the Bucket is served, and not one that is being deleted for
// which no call was ever made: the finalizer comes before the first call.
func (r *reconciler) owns(bucket *v1alpha1.Bucket) bool {
	isReleased := !bucket.DeletionTimestamp.IsZero() && !isProtected(bucket)
	return r.served.has(bucket) && !isReleased && !r.released.Has(bucket)
}

func (r *reconciler) forget(_ context.Context, bucket client.ObjectKey) error {
	r.released.Forget(bucket)
	r.rejections.Forget(bucket)
	return nil
}

// addFinalizer comes before anything outside is touched: a Bucket that vanished
// after the driver had created something would leak it. The same patch labels a Bucket that an
// administrator or an earlier controller has created.
func (a *attempt) addFinalizer(ctx context.Context) error {
	return a.PatchMetadata(ctx, func(b *v1alpha1.Bucket) {
		controllerutil.AddFinalizer(b, v1alpha1.BucketFinalizer)
		v1alpha2.SetDriverLabel(&b.ObjectMeta, b.Spec.DriverName)
	})
}

// removeFinalizer releases the Bucket. The patch fails if the Bucket is newer than the version that
// was read.
func (a *attempt) removeFinalizer(ctx context.Context) error {
	err := a.PatchMetadata(ctx, func(b *v1alpha1.Bucket) { controllerutil.RemoveFinalizer(b, v1alpha1.BucketFinalizer) })
	if err != nil {
		return err
	}
	if len(a.Object.GetFinalizers()) == 0 {
		a.released.Add(a.Object)
	}
	a.failures.Forget(a.Object.UID)
	a.Event(v1alpha2.ReasonDeprovisioned, a.describeEnd())
	return nil
}

func (a *attempt) describeEnd() string {
	switch bucket := a.Object; {
	case a.sharedBy != "":
		return fmt.Sprintf("the bucket stays in the backend, because Bucket %q has it, too", a.sharedBy)
	case bucketID(bucket) == "":
		return "the backend has no bucket to delete"
	case a.isRetained():
		return fmt.Sprintf("bucket %q stays in the backend, by the deletion policy Retain", bucketID(bucket))
	default:
		return fmt.Sprintf("driver %s has deleted the bucket", bucket.Spec.DriverName)
	}
}

func isProtected(bucket *v1alpha1.Bucket) bool {
	return controllerutil.ContainsFinalizer(bucket, v1alpha1.BucketFinalizer)
}

func isAccessed(bucket *v1alpha1.Bucket) bool {
	return controllerutil.ContainsFinalizer(bucket, v1alpha1.BucketAccessBucketFinalizer)
}

// reasonFor returns the reason for the error of a call. A call without a usable ID in its answer is
// repeated, because only the ID identifies the bucket.
func reasonFor(err error) error {
	if connection.IsInvalidResponse(err) {
		return reasons.Failed(v1alpha2.ReasonInvalidDriverResponse, "%v", err)
	}
	return connection.ReasonFor(err)
}
