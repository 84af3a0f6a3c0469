package sidecar_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/bucket"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/driver"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/inflight"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// The annotation alone is no order to delete: with the policy Delete too, the
// sidecar waits for the deletion of the Bucket.
// KEP: FLOW-DELETE-3.3.1
func TestAnnotatedBucketWaitsForItsDeletion(t *testing.T) {
	w := newWorld(t)
	w.start()
	bucket := w.readyBucket()
	w.releaseClaim(bucket)
	w.Eventually(func() error {
		if err := w.Refresh(bucket); err != nil || bucket.Status.ReadyToUse {
			return fmt.Errorf("ready although its claim is being deleted (%w)", err)
		}
		return nil
	})
	w.settle()
	if calls := w.driver.Calls("DriverDeleteBucket"); len(calls) > 0 {
		t.Errorf("a Bucket was deprovisioned without a deletion: %v", calls)
	}
	w.Must(w.Refresh(bucket))
	if len(bucket.Finalizers) != 1 {
		t.Errorf("finalizers %v", bucket.Finalizers)
	}
}

// A failure to delete or to revoke is shown, with the KEP's Event, and tried
// again until it succeeds.
// KEP: COND-FAILED-5
func TestDeprovisioningIsRetried(t *testing.T) {
	// KEP: FLOW-DELETE-3.3.3, EVENT-BUCKET-2
	t.Run("Bucket", func(t *testing.T) {
		w := newWorld(t)
		w.start()
		bucket := w.readyBucket()
		w.driver.Fail("DriverDeleteBucket", codes.Unavailable, "the backend is away")
		w.releaseClaim(bucket)
		w.Must(w.Delete(t.Context(), bucket))
		w.WaitCondition(bucket, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
		w.WaitCondition(bucket, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
		w.Eventually(func() error { return w.toldOnce(bucket, v1alpha2.ReasonFailedDeleteBucket) })
		w.driver.Script("DriverDeleteBucket", nil)
		w.WaitGone(bucket)
		if got := w.driver.Buckets(); len(got) > 0 {
			t.Errorf("left in the backend: %v", got)
		}
	})
	// KEP: FLOW-REVOKE-3.4, EVENT-ACCESS-3
	t.Run("BucketAccess", func(t *testing.T) {
		w := newWorld(t)
		w.start()
		access := w.readyAccess(w.readyBucket())
		w.driver.Fail("DriverRevokeBucketAccess", codes.Unavailable, "the backend is away")
		w.Must(w.Delete(t.Context(), access))
		w.WaitCondition(access, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
		w.Eventually(func() error { return w.toldOnce(access, v1alpha2.ReasonFailedRevokeAccess) })
		if _, err := w.secret(access, 0); !apierrors.IsNotFound(err) {
			t.Errorf("the Secret outlives the attempt to revoke what is in it: %v", err)
		}
		w.driver.Script("DriverRevokeBucketAccess", nil)
		w.isHandedBack(access)
		if got := w.driver.Accounts(); len(got) > 0 {
			t.Errorf("left in the backend: %v", got)
		}
	})
}

// toldOnce reports whether there is one Event of a reason about an object.
func (w *world) toldOnce(object client.Object, reason string) error {
	if got := w.EventReasons(object)[reason]; got != 1 {
		return fmt.Errorf("%d Events %s, want one: %v", got, reason, w.EventReasons(object))
	}
	return nil
}

// Before its ID is persisted an object has nothing in the backend, so its deletion does
// not call the driver.
// KEP: GRPC-GENERATEBUCKETID-4, GRPC-GENERATEACCESSID-3
func TestDeletionWithoutIDCallsNoDriver(t *testing.T) {
	w := newWorld(t)
	w.start()
	ready := w.readyBucket()
	w.driver.Fail("DriverGenerateBucketId", codes.Unavailable, "not now")
	w.driver.Fail("DriverGenerateBucketAccessId", codes.Unavailable, "not now")
	bucket, access := w.bucket(), w.access([]*v1alpha2.Bucket{ready})
	w.WaitCondition(bucket, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	w.WaitCondition(access, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	w.releaseClaim(bucket)
	w.Must(errors.Join(w.Delete(t.Context(), bucket), w.Delete(t.Context(), access)))
	w.WaitGone(bucket)
	w.isHandedBack(access)
	if calls := w.driver.Calls("DriverDeleteBucket", "DriverRevokeBucketAccess"); len(calls) > 0 {
		t.Errorf("calls for what has no ID: %v", calls)
	}
	if _, err := w.secret(access, 0); !apierrors.IsNotFound(err) {
		t.Errorf("the reserved Secret is still there: %v", err)
	}
}

// An ID that could not be persisted is asked for again, with the same name, and
// nothing is created by an ID that is not.
func TestIDThatCannotBePersisted(t *testing.T) {
	w := newWorld(t)
	w.start()
	ready := w.readyBucket()
	lose := func(_ context.Context, _ proto.Message, next drivertest.Next) (proto.Message, error) {
		w.requests.Reject(http.MethodPatch, "/status")
		return next()
	}
	for generate, tc := range map[string]struct {
		create string
		make   func() (name string, done func() error)
	}{
		// KEP: GRPC-GENERATEBUCKETID-2, GRPC-GENERATEBUCKETID-5, GRPC-CREATEBUCKET-1
		"DriverGenerateBucketId": {"DriverCreateBucket", func() (string, func() error) {
			bucket := w.bucket()
			return bucket.Name, func() error { return w.isReady(bucket) }
		}},
		// KEP: GRPC-GENERATEACCESSID-4
		"DriverGenerateBucketAccessId": {"DriverGrantBucketAccess", func() (string, func() error) {
			access := w.access([]*v1alpha2.Bucket{ready})
			return v1alpha2.AccountNameForAccess(access.UID), func() error { return w.isGranted(access) }
		}},
	} {
		t.Run(generate, func(t *testing.T) {
			w := w.in(t)
			before, created := len(w.driver.Calls(generate)), len(w.driver.Calls(tc.create))
			w.driver.Script(generate, lose)
			name, done := tc.make()
			w.Eventually(func() error {
				if got := len(w.driver.Calls(generate)) - before; got < 3 {
					return fmt.Errorf("asked %d times", got)
				}
				return nil
			})
			if got := len(w.driver.Calls(tc.create)); got != created {
				t.Errorf("%s by an ID that is not persisted", tc.create)
			}
			w.driver.Script(generate, nil)
			w.requests.Intercept(nil)
			w.Eventually(done)
			for _, call := range w.driver.Calls(generate)[before:] {
				if got := nameOf(call.Request); got != name {
					t.Errorf("asked for %q, want %q each time", got, name)
				}
			}
		})
	}
}

// nameOf is the idempotency key of a request for an ID.
func nameOf(request proto.Message) string {
	switch r := request.(type) {
	case interface{ GetName() string }:
		return r.GetName()
	case interface{ GetAccountName() string }:
		return r.GetAccountName()
	default:
		return ""
	}
}

// A change of the spec retries a rejected deletion: an administrator who changes the
// policy to Retain keeps the data.
// KEP: RETRY-6
func TestPolicyChangeRetriesRejectedDeletion(t *testing.T) {
	w := newWorld(t)
	w.start()
	bucket := w.readyBucket()
	w.driver.Fail("DriverDeleteBucket", codes.InvalidArgument, "bucket is not empty")
	w.releaseClaim(bucket)
	w.Must(w.Delete(t.Context(), bucket))
	w.WaitCondition(bucket, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	w.Modify(bucket, func() { bucket.Spec.DeletionPolicy = v1alpha2.DeletionPolicyRetain })
	w.WaitGone(bucket)
	if got := w.driver.Buckets(); len(got) != 1 {
		t.Errorf("the backend has %v, want the bucket that was kept", got)
	}
}

// A new sidecar, which may be another version, retries terminal failures.
// KEP: RETRY-5
func TestNewSidecarRetriesTerminalFailures(t *testing.T) {
	w := newWorld(t)
	w.driver.Fail("DriverCreateBucket", codes.InvalidArgument, "no")
	stop := w.start()
	bucket := w.bucket()
	w.WaitCondition(bucket, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonDriverRefused)
	w.settle()
	stop()
	w.driver.Script("DriverCreateBucket", nil)
	w.start()
	w.WaitReady(bucket)
}

// A cache that still shows a Bucket whose finalizer the sidecar has just released does not have
// the driver asked a second time to delete it.
func TestDeletionIsAskedForOnce(t *testing.T) {
	w := newWorld(t)
	stop := w.start()
	stored := w.readyBucket()
	stop()
	w.releaseClaim(stored)
	w.Must(w.Delete(t.Context(), stored))
	w.Must(w.Refresh(stored))

	d, err := driver.Connect(t.Context(), connection.Options{Endpoint: drivertest.Endpoint, DialOptions: w.driver.DialOptions()})
	w.Must(err)
	t.Cleanup(func() { w.Must(d.Close()) })
	recorder := events.NewFakeRecorder(100)
	behind := &cacheBehind{Client: w.Client}
	r := bucket.NewReconciler(behind, w.Client, d, inflight.NewCalls().Line(), recorder)
	request := reconcile.Request{NamespacedName: client.ObjectKeyFromObject(stored)}
	for range 2 {
		_, err := r.Reconcile(t.Context(), request)
		w.Must(err)
	}
	w.Must(w.Gone(stored))
	if calls := w.driver.Calls("DriverDeleteBucket"); len(calls) != 1 {
		t.Errorf("the driver was asked %d times to delete the bucket, want once: %v", len(calls), calls)
	}
}

// cacheBehind shows a Bucket as it was before its finalizers were last written.
type cacheBehind struct {
	client.Client

	before *v1alpha2.Bucket
}

func (c *cacheBehind) Get(ctx context.Context, key client.ObjectKey, object client.Object, opts ...client.GetOption) error {
	if into, ok := object.(*v1alpha2.Bucket); ok && c.before != nil {
		c.before.DeepCopyInto(into)
		return nil
	}
	return c.Client.Get(ctx, key, object, opts...)
}

func (c *cacheBehind) Patch(ctx context.Context, object client.Object, patch client.Patch, opts ...client.PatchOption) error {
	before := &v1alpha2.Bucket{}
	if err := c.Client.Get(ctx, client.ObjectKeyFromObject(object), before); err != nil {
		return err
	}
	c.before = before
	return c.Client.Patch(ctx, object, patch, opts...)
}
