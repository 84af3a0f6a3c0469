package sidecar_test

import (
	"context"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// The tests in this file hold the watches of a sidecar back while people change
// what it is about to act on.

// pause has the next call of a method wait in the driver, and then fail. It returns
// when the call has arrived; calls after that one succeed.
func (w *world) pause(method string) (resume func()) {
	w.Helper()
	arrived, resumed := make(chan struct{}, 1), make(chan struct{})
	w.driver.Script(method, func(ctx context.Context, _ proto.Message, _ drivertest.Next) (proto.Message, error) {
		select {
		case arrived <- struct{}{}:
		default:
		}
		select {
		case <-resumed:
		case <-ctx.Done():
		}
		return nil, status.Error(codes.Unavailable, "not now")
	})
	harness.Receive(w, method+" arrives", arrived)
	return func() {
		w.driver.Script(method, nil)
		close(resumed)
	}
}

// TestRetainIsReadBeforeTheBucketIsDeleted: the deletion of a bucket fails, and the
// administrator decides to keep it. The sidecar's watch has not told so when the call
// is tried again.
// KEP: FLOW-DELETE-3.4
// Known failure: E91
func TestRetainIsReadBeforeTheBucketIsDeleted(t *testing.T) {
	w := newWorld(t)
	w.start()
	bucket := w.readyBucket()
	w.driver.Fail("DriverDeleteBucket", codes.Unavailable, "the backend is away")
	w.releaseClaim(bucket)
	w.Must(w.Delete(t.Context(), bucket))
	w.WaitCondition(bucket, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	thaw := w.requests.Freeze("buckets")
	t.Cleanup(thaw)
	resume := w.pause("DriverDeleteBucket")
	w.Modify(bucket, func() { bucket.Spec.DeletionPolicy = v1alpha2.DeletionPolicyRetain })
	resume()
	w.WaitGone(bucket)
	if got := w.driver.Buckets(); len(got) != 1 {
		t.Errorf("the backend has %v, want the bucket that the administrator keeps", got)
	}
}

// TestBucketIsReadBeforeItIsLost: the cache of Buckets is behind that of accesses. A
// Bucket that it does not have is not lost.
func TestBucketIsReadBeforeItIsLost(t *testing.T) {
	w := newWorld(t)
	w.start()
	first := w.readyBucket()
	thaw := w.requests.Freeze("buckets")
	t.Cleanup(thaw)
	bucket := w.bucket()
	access := w.access([]*v1alpha2.Bucket{bucket, first})
	w.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonWaitingForBucket)
	if got := w.EventReasons(access)[v1alpha2.ReasonBucketLost]; got > 0 {
		t.Errorf("%d Events say that a Bucket is lost that exists", got)
	}
	thaw()
	w.WaitReady(access)
}
