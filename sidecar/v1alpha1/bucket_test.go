package v1alpha1_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

const (
	createBucket = "DriverCreateBucket"
	deleteBucket = "DriverDeleteBucket"
	grantAccess  = "DriverGrantBucketAccess"
	revokeAccess = "DriverRevokeBucketAccess"
)

// The finalizer comes before the call, and ID and readiness after it in one write. Then
// the sidecar is silent.
// Known failure: E60
// Spec: A1-CREATE-4
func TestBucketIsCreatedOnce(t *testing.T) {
	cl := newTestCluster(t)
	cl.driver.Script(createBucket, func(ctx context.Context, m proto.Message, next drivertest.Next) (proto.Message, error) {
		request, _ := m.(*cosiv1alpha1.DriverCreateBucketRequest)
		stored := &v1alpha1.Bucket{}
		if err := cl.Get(ctx, client.ObjectKey{Name: request.GetName()}, stored); err != nil {
			return nil, err
		}
		if !controllerutil.ContainsFinalizer(stored, v1alpha1.BucketFinalizer) || stored.Status.BucketReady {
			t.Errorf("at the call, the Bucket has finalizers %v and status %+v", stored.Finalizers, stored.Status)
		}
		return next()
	})
	stop := cl.start()
	bucket := cl.readyBucket()
	cl.settle()
	stop()
	cl.start()
	cl.settle()
	if got, want := bucket.Status.BucketID, drivertest.V1alpha1BucketID(bucket.Name); got != want {
		t.Errorf("status.bucketID = %q, want %q", got, want)
	}
	var requests []proto.Message
	for _, call := range cl.driver.Calls(createBucket) {
		requests = append(requests, call.Request)
	}
	want := []proto.Message{&cosiv1alpha1.DriverCreateBucketRequest{Name: bucket.Name, Parameters: map[string]string{"tier": "gold"}}}
	if diff := cmp.Diff(want, requests, protocmp.Transform()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	writes := cl.Requests.Writes()
	if len(writes) != 2 || !strings.HasSuffix(writes[1].Path, "/status") {
		t.Errorf("writes: %v, want the finalizer and the status", writes)
	}
}

// Driver names are compared without letter case, and other drivers' Buckets are left
// alone, also when they are deleted.
// Known failure: E71
func TestOnlyBucketsOfTheDriver(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	foreign := cl.bucket(func(b *v1alpha1.Bucket) {
		b.Spec.DriverName, b.Finalizers = "other.test", []string{v1alpha1.BucketFinalizer}
	})
	cl.Must(cl.Delete(t.Context(), foreign))
	cl.readyBucket(func(b *v1alpha1.Bucket) { b.Spec.DriverName = strings.ToUpper(b.Spec.DriverName) })
	cl.settle()
	cl.Must(cl.Refresh(foreign))
	if diff := cmp.Diff([]string{v1alpha1.BucketFinalizer}, foreign.Finalizers); diff != "" {
		t.Errorf("finalizers of another driver's Bucket (-want +got):\n%s", diff)
	}
}

func TestExistingBucketNeedsNoCall(t *testing.T) {
	cl := newTestCluster(t)
	cl.driver.AddBucket("brown:field/1")
	cl.start()
	bucket := cl.readyBucket(existing("brown:field/1"), retain)
	if bucket.Status.BucketID != "brown:field/1" {
		t.Errorf("status.bucketID = %q", bucket.Status.BucketID)
	}
	cl.hasNoCalls(createBucket)
	cl.remove(bucket)
	cl.hasNoCalls(deleteBucket)
	doomed := cl.readyBucket(existing("brown:field/1"))
	cl.remove(doomed)
	cl.isEmpty()
}

// Odd answers of deployed drivers are accepted, and those from which no deletion could
// follow are not.
func TestAnswersToCreate(t *testing.T) {
	for name, tc := range map[string]struct {
		answer *cosiv1alpha1.DriverCreateBucketResponse
		event  string
	}{
		"opaque ID":   {answer: &cosiv1alpha1.DriverCreateBucketResponse{BucketId: "arn:aws:s3:::a/b c"}},
		"with info":   {answer: &cosiv1alpha1.DriverCreateBucketResponse{BucketId: "x", BucketInfo: &cosiv1alpha1.Protocol{}}},
		"longest ID":  {answer: &cosiv1alpha1.DriverCreateBucketResponse{BucketId: strings.Repeat("x", 2048)}},
		"no ID":       {answer: &cosiv1alpha1.DriverCreateBucketResponse{}, event: "it has no bucket ID"},
		"too long ID": {answer: &cosiv1alpha1.DriverCreateBucketResponse{BucketId: strings.Repeat("x", 2049)}, event: "the limit is 2048"},
		"control":     {answer: &cosiv1alpha1.DriverCreateBucketResponse{BucketId: "a\nb"}, event: "control characters"},
	} {
		t.Run(name, func(t *testing.T) {
			cl := newTestCluster(t)
			cl.driver.Answer(createBucket, tc.answer)
			cl.start()
			bucket := cl.bucket()
			if tc.event == "" {
				cl.waitBucket(bucket)
				if bucket.Status.BucketID != tc.answer.GetBucketId() {
					t.Errorf("status.bucketID = %q", bucket.Status.BucketID)
				}
				return
			}
			cl.waitEvent(bucket, "Warning FailedCreateBucket", tc.event)
			cl.driver.Script(createBucket, nil)
			cl.waitBucket(bucket)
		})
	}
}

// ALREADY_EXISTS has no response. The call may have succeeded early: a later OK repairs it.
// Known failure: E70
// Spec: A1-CODE-6, A1-CALLS-4
func TestCreateIsRetried(t *testing.T) {
	for _, code := range []codes.Code{codes.AlreadyExists, codes.Unavailable, codes.Internal, codes.Aborted} {
		t.Run(code.String(), func(t *testing.T) {
			cl := newTestCluster(t)
			cl.driver.Fail(createBucket, code, "GET https://u:secretword@host/x?sig=secretword: busy")
			cl.start()
			bucket := cl.bucket()
			note := cl.waitEvent(bucket, "Warning FailedCreateBucket", code.String())
			if strings.Contains(note, "secretword") {
				t.Errorf("the Event has a secret: %s", note)
			}
			cl.driver.AwaitCalls(t, createBucket, 2)
			cl.driver.Script(createBucket, nil)
			cl.waitBucket(bucket)
			if got := cl.EventReasons(bucket)["FailedCreateBucket"]; got != 1 {
				t.Errorf("%d Events of one failure", got)
			}
		})
	}
}

// A rejected Bucket is not tried again before its spec or the driver changes.
// Spec: A1-CODE-3, A1-CODE-11
func TestRejectedCreateIsFinal(t *testing.T) {
	for _, code := range []codes.Code{codes.InvalidArgument, codes.OutOfRange, codes.Unimplemented} {
		t.Run(code.String(), func(t *testing.T) {
			cl := newTestCluster(t)
			cl.driver.Fail(createBucket, code, "no such tier")
			cl.start()
			bucket := cl.bucket()
			cl.waitEvent(bucket, "Warning FailedCreateBucket", "no such tier")
			cl.settle()
			if n := len(cl.driver.Calls(createBucket)); n != 1 {
				t.Errorf("%d calls, want 1", n)
			}
			cl.Modify(bucket, func() { bucket.Spec.Parameters = map[string]string{"tier": "silver"} })
			cl.Eventually(func() error {
				if n := len(cl.driver.Calls(createBucket)); n != 2 {
					return fmt.Errorf("%d calls, want 2", n)
				}
				return nil
			})
			cl.driver.Script(createBucket, nil)
			cl.driver.Stop()
			cl.driver.Serve()
			cl.waitBucket(bucket)
		})
	}
}

// A user sets bucketReady of a Bucket that has no ID. The sidecar corrects it, also if it was down
// meanwhile, and no access is granted.
// Known failure: E04
func TestReadinessWithoutAnIDIsCorrected(t *testing.T) {
	for _, running := range []bool{true, false} {
		t.Run(fmt.Sprintf("while running %t", running), func(t *testing.T) {
			cl := newTestCluster(t)
			cl.driver.Fail(createBucket, codes.InvalidArgument, "no such tier")
			stop := cl.start()
			bucket := cl.bucket()
			cl.waitEvent(bucket, "Warning FailedCreateBucket")
			cl.settle()
			if !running {
				stop()
			}
			cl.ModifyStatus(bucket, func() { bucket.Status.BucketReady = true })
			cl.bind(bucket)
			access := cl.access(bucket, cl.class().Name)
			if !running {
				cl.start()
			}
			cl.Eventually(func() error {
				if err := cl.Refresh(bucket); err != nil || !bucket.Status.BucketReady {
					return err
				}
				return errors.New("bucketReady is true without a bucket")
			})
			cl.settle()
			cl.hasNoCalls(grantAccess)
			if err := cl.isGranted(access); err == nil {
				t.Error("the access is granted")
			}
			cl.driver.Script(createBucket, nil)
			cl.driver.Stop()
			cl.driver.Serve()
			cl.waitBucket(bucket)
			cl.waitGranted(access)
		})
	}
}

func TestBucketIsDeleted(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	bucket, kept := cl.readyBucket(), cl.readyBucket(retain)
	cl.remove(bucket, kept)
	if diff := cmp.Diff([]string{drivertest.V1alpha1BucketID(kept.Name)}, cl.driver.Buckets()); diff != "" {
		t.Errorf("buckets (-want +got):\n%s", diff)
	}
	calls := cl.driver.Calls(deleteBucket)
	if len(calls) != 1 {
		t.Fatalf("calls: %v", calls)
	}
	want := &cosiv1alpha1.DriverDeleteBucketRequest{
		BucketId: drivertest.V1alpha1BucketID(bucket.Name), DeleteContext: map[string]string{"tier": "gold"},
	}
	if diff := cmp.Diff(want, calls[0].Request, protocmp.Transform()); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

// NotFound is success. No other code ends a deletion.
// Known failure: E82
func TestDeleteIsRetried(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	for _, code := range []codes.Code{codes.InvalidArgument, codes.Unimplemented, codes.FailedPrecondition, codes.AlreadyExists} {
		bucket := cl.readyBucket()
		cl.driver.Fail(deleteBucket, code, "not empty")
		cl.Must(cl.Delete(t.Context(), bucket))
		cl.waitEvent(bucket, "Warning FailedDeleteBucket", "not empty")
		cl.driver.Script(deleteBucket, nil)
		cl.Eventually(func() error { return cl.isGone(bucket) })
	}
	bucket := cl.readyBucket()
	cl.driver.Fail(deleteBucket, codes.NotFound, "gone")
	cl.remove(bucket)
}

func (cl *testCluster) isGone(object client.Object) error {
	if err := cl.Refresh(object); err != nil {
		return client.IgnoreNotFound(err)
	}
	return errStillThere
}

// The policy that counts is the one that the API server has directly before the call.
func TestPolicyIsReadLive(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	bucket := cl.readyBucket()
	access := cl.readyAccess(bucket)
	cl.Must(cl.Delete(t.Context(), bucket))
	cl.waitEvent(bucket, "Normal DeletionBlocked")
	cl.hasNoCalls(deleteBucket)
	thaw := cl.Requests.Freeze("buckets")
	cl.Modify(bucket, func() { bucket.Spec.DeletionPolicy = v1alpha1.DeletionPolicyRetain })
	cl.remove(access)
	thaw()
	cl.Eventually(func() error { return cl.isGone(bucket) })
	cl.hasNoCalls(deleteBucket)
}

// A Bucket whose bucket was created, without the ID being saved, is deleted with it.
func TestUnsavedBucketIsDeleted(t *testing.T) {
	cl := newTestCluster(t)
	cl.driver.Script(createBucket, func(_ context.Context, _ proto.Message, next drivertest.Next) (proto.Message, error) {
		if _, err := next(); err != nil {
			return nil, err
		}
		return nil, status.Error(codes.Unavailable, "the answer is lost")
	})
	cl.start()
	bucket := cl.bucket()
	cl.waitEvent(bucket, "Warning FailedCreateBucket")
	cl.Must(cl.Delete(t.Context(), bucket))
	cl.waitEvent(bucket, "Warning FailedDeleteBucket", "the answer is lost")
	cl.driver.Script(createBucket, nil)
	cl.Eventually(func() error { return cl.isGone(bucket) })
	cl.isEmpty()
}

// A Bucket that the driver cannot create can be deleted. The driver is believed at once if
// it rejects the call, and after three failures of its own.
// Known failure: E51
func TestBucketThatWasNeverCreatedIsReleased(t *testing.T) {
	for code, want := range map[codes.Code]int32{
		codes.InvalidArgument: 1, codes.Unimplemented: 1, codes.Internal: 3, codes.Unknown: 3, codes.DataLoss: 3, codes.AlreadyExists: 3,
	} {
		t.Run(code.String(), func(t *testing.T) {
			cl := newTestCluster(t)
			var calls atomic.Int32
			cl.driver.Script(createBucket, func(ctx context.Context, m proto.Message, _ drivertest.Next) (proto.Message, error) {
				request, _ := m.(*cosiv1alpha1.DriverCreateBucketRequest)
				stored := &v1alpha1.Bucket{}
				if err := cl.Get(ctx, client.ObjectKey{Name: request.GetName()}, stored); err == nil && !stored.DeletionTimestamp.IsZero() {
					calls.Add(1)
				}
				return nil, status.Error(code, "no")
			})
			cl.start()
			bucket := cl.bucket()
			cl.waitEvent(bucket, "Warning FailedCreateBucket")
			cl.remove(bucket)
			if got := calls.Load(); got < want || got > want+1 {
				t.Errorf("%d calls for a Bucket that is being deleted, want %d", got, want)
			}
			cl.hasNoCalls(deleteBucket)
		})
	}
}

// A driver that is away may have created the bucket.
func TestBucketWaitsForItsDriver(t *testing.T) {
	cl := newTestCluster(t)
	cl.driver.Fail(createBucket, codes.Unavailable, "away")
	cl.start()
	bucket := cl.bucket()
	cl.waitEvent(bucket, "Warning FailedCreateBucket")
	cl.Must(cl.Delete(t.Context(), bucket))
	cl.driver.AwaitCalls(t, createBucket, 3)
	cl.Must(cl.Refresh(bucket))
	cl.driver.Script(createBucket, nil)
	cl.Eventually(func() error { return cl.isGone(bucket) })
}

// Without the finalizer no call was made, and none is made for the deletion.
func TestBucketWithoutCallIsReleased(t *testing.T) {
	cl := newTestCluster(t)
	cl.Requests.Intercept(func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodPatch && strings.Contains(r.URL.Path, "/buckets/") {
			return nil, errors.New("the finalizer cannot be written")
		}
		return nil, nil
	})
	cl.start()
	bucket := cl.bucket()
	cl.settle()
	cl.remove(bucket)
	cl.hasNoCalls(createBucket, deleteBucket)
}

// Of two Buckets for which a driver names one ID, one gets it. The deletion of the other
// one deletes nothing.
func TestBucketsHaveDifferentIDs(t *testing.T) {
	cl := newTestCluster(t)
	cl.driver.Answer(createBucket, &cosiv1alpha1.DriverCreateBucketResponse{BucketId: "same"})
	cl.start()
	first := cl.readyBucket()
	second := cl.bucket()
	cl.waitEvent(second, "Warning FailedCreateBucket", "is the ID of Bucket "+first.Name)
	cl.remove(second)
	cl.hasNoCalls(deleteBucket)
	cl.remove(first)
	if calls := cl.driver.Calls(deleteBucket); len(calls) != 1 {
		t.Errorf("calls: %v", calls)
	}
}
