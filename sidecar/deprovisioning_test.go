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
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/inflight"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha2/bucket"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha2/driver"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// The annotation alone is no order to delete: with the policy Delete too, the
// sidecar waits for the deletion of the Bucket.
// KEP: FLOW-DELETE-3.3.1
func TestAnnotatedBucketWaitsForItsDeletion(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	bucket := cl.readyBucket()
	cl.releaseClaim(bucket)
	cl.Eventually(func() error {
		if err := cl.Refresh(bucket); err != nil || bucket.Status.ReadyToUse {
			return fmt.Errorf("ready although its claim is being deleted (%w)", err)
		}
		return nil
	})
	cl.settle()
	if calls := cl.driver.Calls("DriverDeleteBucket"); len(calls) > 0 {
		t.Errorf("a Bucket was deprovisioned without a deletion: %v", calls)
	}
	cl.Must(cl.Refresh(bucket))
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
		cl := newTestCluster(t)
		cl.start()
		bucket := cl.readyBucket()
		cl.driver.Fail("DriverDeleteBucket", codes.Unavailable, "the backend is away")
		cl.releaseClaim(bucket)
		cl.Must(cl.Delete(t.Context(), bucket))
		cl.WaitCondition(bucket, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
		cl.WaitCondition(bucket, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
		cl.Eventually(func() error { return cl.toldOnce(bucket, v1alpha2.ReasonFailedDeleteBucket) })
		cl.driver.Script("DriverDeleteBucket", nil)
		cl.WaitGone(bucket)
		if got := cl.driver.Buckets(); len(got) > 0 {
			t.Errorf("left in the backend: %v", got)
		}
	})
	// KEP: FLOW-REVOKE-3.4, EVENT-ACCESS-3
	t.Run("BucketAccess", func(t *testing.T) {
		cl := newTestCluster(t)
		cl.start()
		access := cl.readyAccess(cl.readyBucket())
		cl.driver.Fail("DriverRevokeBucketAccess", codes.Unavailable, "the backend is away")
		cl.Must(cl.Delete(t.Context(), access))
		cl.WaitCondition(access, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
		cl.Eventually(func() error { return cl.toldOnce(access, v1alpha2.ReasonFailedRevokeAccess) })
		if _, err := cl.secret(access, 0); !apierrors.IsNotFound(err) {
			t.Errorf("the Secret outlives the attempt to revoke what is in it: %v", err)
		}
		cl.driver.Script("DriverRevokeBucketAccess", nil)
		cl.isHandedBack(access)
		if got := cl.driver.Accounts(); len(got) > 0 {
			t.Errorf("left in the backend: %v", got)
		}
	})
}

// toldOnce reports whether there is one Event of a reason about an object.
func (cl *testCluster) toldOnce(object client.Object, reason string) error {
	if got := cl.EventReasons(object)[reason]; got != 1 {
		return fmt.Errorf("%d Events %s, want one: %v", got, reason, cl.EventReasons(object))
	}
	return nil
}

// Before its ID is persisted an object has nothing in the backend, so its deletion does
// not call the driver.
// KEP: GRPC-GENERATEBUCKETID-4, GRPC-GENERATEACCESSID-3
func TestDeletionWithoutIDCallsNoDriver(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	ready := cl.readyBucket()
	cl.driver.Fail("DriverGenerateBucketId", codes.Unavailable, "not now")
	cl.driver.Fail("DriverGenerateBucketAccessId", codes.Unavailable, "not now")
	bucket, access := cl.bucket(), cl.access([]*v1alpha2.Bucket{ready})
	cl.WaitCondition(bucket, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	cl.WaitCondition(access, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	cl.releaseClaim(bucket)
	cl.Must(errors.Join(cl.Delete(t.Context(), bucket), cl.Delete(t.Context(), access)))
	cl.WaitGone(bucket)
	cl.isHandedBack(access)
	if calls := cl.driver.Calls("DriverDeleteBucket", "DriverRevokeBucketAccess"); len(calls) > 0 {
		t.Errorf("calls for what has no ID: %v", calls)
	}
	if _, err := cl.secret(access, 0); !apierrors.IsNotFound(err) {
		t.Errorf("the reserved Secret is still there: %v", err)
	}
}

// An ID that could not be persisted is asked for again, with the same name, and
// nothing is created by an ID that is not.
func TestIDThatCannotBePersisted(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	ready := cl.readyBucket()
	lose := func(_ context.Context, _ proto.Message, next drivertest.Next) (proto.Message, error) {
		cl.Requests.Reject(http.MethodPatch, "/status")
		return next()
	}
	for generate, tc := range map[string]struct {
		create string
		make   func() (name string, done func() error)
	}{
		// KEP: GRPC-GENERATEBUCKETID-2, GRPC-GENERATEBUCKETID-5, GRPC-CREATEBUCKET-1
		"DriverGenerateBucketId": {"DriverCreateBucket", func() (string, func() error) {
			bucket := cl.bucket()
			return bucket.Name, func() error { return cl.isReady(bucket) }
		}},
		// KEP: GRPC-GENERATEACCESSID-4
		"DriverGenerateBucketAccessId": {"DriverGrantBucketAccess", func() (string, func() error) {
			access := cl.access([]*v1alpha2.Bucket{ready})
			return v1alpha2.AccountNameForAccess(access.UID), func() error { return cl.isGranted(access) }
		}},
	} {
		t.Run(generate, func(t *testing.T) {
			cl := cl.in(t)
			before, created := len(cl.driver.Calls(generate)), len(cl.driver.Calls(tc.create))
			cl.driver.Script(generate, lose)
			name, done := tc.make()
			cl.Eventually(func() error {
				if got := len(cl.driver.Calls(generate)) - before; got < 3 {
					return fmt.Errorf("asked %d times", got)
				}
				return nil
			})
			if got := len(cl.driver.Calls(tc.create)); got != created {
				t.Errorf("%s by an ID that is not persisted", tc.create)
			}
			cl.driver.Script(generate, nil)
			cl.Requests.Intercept(nil)
			cl.Eventually(done)
			for _, call := range cl.driver.Calls(generate)[before:] {
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
	cl := newTestCluster(t)
	cl.start()
	bucket := cl.readyBucket()
	cl.driver.Fail("DriverDeleteBucket", codes.InvalidArgument, "bucket is not empty")
	cl.releaseClaim(bucket)
	cl.Must(cl.Delete(t.Context(), bucket))
	cl.WaitCondition(bucket, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	cl.Modify(bucket, func() { bucket.Spec.DeletionPolicy = v1alpha2.DeletionPolicyRetain })
	cl.WaitGone(bucket)
	if got := cl.driver.Buckets(); len(got) != 1 {
		t.Errorf("the backend has %v, want the bucket that was kept", got)
	}
}

// A new sidecar, which may be another version, retries terminal failures.
// KEP: RETRY-5
func TestNewSidecarRetriesTerminalFailures(t *testing.T) {
	cl := newTestCluster(t)
	cl.driver.Fail("DriverCreateBucket", codes.InvalidArgument, "no")
	stop := cl.start()
	bucket := cl.bucket()
	cl.WaitCondition(bucket, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonDriverRefused)
	cl.settle()
	stop()
	cl.driver.Script("DriverCreateBucket", nil)
	cl.start()
	cl.WaitReady(bucket)
}

// A cache that still shows a Bucket whose finalizer the sidecar has just released does not have
// the driver asked a second time to delete it.
func TestDeletionIsAskedForOnce(t *testing.T) {
	cl := newTestCluster(t)
	stop := cl.start()
	stored := cl.readyBucket()
	stop()
	cl.releaseClaim(stored)
	cl.Must(cl.Delete(t.Context(), stored))
	cl.Must(cl.Refresh(stored))

	d, err := driver.Connect(t.Context(), connection.Options{Endpoint: drivertest.Endpoint, DialOptions: cl.driver.DialOptions()})
	cl.Must(err)
	t.Cleanup(func() { cl.Must(d.Close()) })
	recorder := events.NewFakeRecorder(100)
	behind := &cacheBehind{Client: cl.Client}
	r := bucket.NewReconciler(behind, cl.Client, bucket.Served{Driver: d}, inflight.NewCalls().Line(), recorder)
	request := reconcile.Request{NamespacedName: client.ObjectKeyFromObject(stored)}
	for range 2 {
		_, err := r.Reconcile(t.Context(), request)
		cl.Must(err)
	}
	cl.Must(cl.Gone(stored))
	if calls := cl.driver.Calls("DriverDeleteBucket"); len(calls) != 1 {
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
