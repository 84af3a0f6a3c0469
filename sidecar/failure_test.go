package sidecar_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/cluster"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// E01: the sidecar knows a created bucket even if every write after its creation fails, so that it
// can be deleted.
// KEP: FLOW-CREATE-3.4, GRPC-CREATEBUCKET-2
func TestE01NoBucketLeaksWhenTheResultCannotBeWritten(t *testing.T) {
	cl := newTestCluster(t)
	cl.driver.Script("DriverCreateBucket", func(_ context.Context, _ proto.Message, next drivertest.Next) (proto.Message, error) {
		cl.Requests.Reject(http.MethodPatch, "/status")
		return next()
	})
	cl.start()
	bucket := cl.bucket()
	cl.Eventually(func() error {
		if got := cl.driver.Buckets(); len(got) != 1 {
			return fmt.Errorf("the backend has %v", got)
		}
		return nil
	})
	cl.releaseClaim(bucket)
	cl.Must(cl.Delete(t.Context(), bucket))
	cl.Requests.Intercept(nil)
	cl.WaitGone(bucket)
	if got := cl.driver.Buckets(); len(got) > 0 {
		t.Errorf("leaked: %v", got)
	}
}

// E02 is the same for an access.
// KEP: FLOW-GRANT-4.7
func TestE02NoAccountLeaksWhenTheResultCannotBeWritten(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	bucket := cl.readyBucket()
	cl.driver.Script("DriverGrantBucketAccess", func(_ context.Context, _ proto.Message, next drivertest.Next) (proto.Message, error) {
		cl.Requests.Reject(http.MethodPatch, "/status")
		return next()
	})
	access := cl.access([]*v1alpha2.Bucket{bucket})
	cl.Eventually(func() error {
		if got := cl.driver.Accounts(); len(got) != 1 {
			return fmt.Errorf("the backend has %v", got)
		}
		return nil
	})
	cl.Must(cl.Delete(t.Context(), access))
	cl.Requests.Intercept(nil)
	cl.isHandedBack(access)
	if got := cl.driver.Accounts(); len(got) > 0 {
		t.Errorf("leaked: %v", got)
	}
}

// E04: the sidecar does not trust a readyToUse and Provisioned that a user wrote.
// KEP: CHANGE-18
func TestE04ReadinessWithoutAnIDIsCorrected(t *testing.T) {
	cl := newTestCluster(t)
	bucket := cl.bucket()
	cl.ModifyStatus(bucket, func() {
		bucket.Status.ReadyToUse = true
		bucket.Status.Conditions = []metav1.Condition{{
			Type: v1alpha2.ConditionProvisioned, Status: metav1.ConditionTrue, Reason: "Lie", LastTransitionTime: metav1.Now(),
		}}
	})
	cl.driver.Fail("DriverGenerateBucketId", codes.Unavailable, "not now")
	cl.start()
	cl.WaitCondition(bucket, v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonDriverError)
	if bucket.Status.ReadyToUse {
		t.Error("still ready")
	}
	cl.driver.Script("DriverGenerateBucketId", nil)
	cl.WaitReady(bucket)
	if got := cl.driver.Buckets(); len(got) != 1 {
		t.Errorf("the backend has %v", got)
	}
	cl.settle()
	cl.ModifyStatus(bucket, func() { bucket.Status.ReadyToUse = false })
	cl.WaitReady(bucket)
}

// Rejections and invalid answers of the driver: reported once, and
// not asked again.
// KEP: COND-PROV-4, COND-FAILED-4, COND-BUCKET-2, RETRY-1, REASON-12
func TestTerminalFailuresOfBuckets(t *testing.T) {
	fail := func(method string, code codes.Code) func(*testCluster) {
		return func(cl *testCluster) { cl.driver.Fail(method, code, "no") }
	}
	answer := func(method string, response proto.Message) func(*testCluster) {
		return func(cl *testCluster) { cl.driver.Answer(method, response) }
	}
	id := func(id string) func(*testCluster) {
		return answer("DriverGenerateBucketId", &cosiv1alpha2.DriverGenerateBucketIdResponse{BucketId: id})
	}
	tests := map[string]struct {
		arrange func(*testCluster)
		reason  string
	}{
		"GenerateInvalidArgument": {fail("DriverGenerateBucketId", codes.InvalidArgument), v1alpha2.ReasonDriverRefused},
		// KEP: GRPC-CREATEBUCKET-6
		"CreateAlreadyExists": {fail("DriverCreateBucket", codes.AlreadyExists), v1alpha2.ReasonDriverRefused},
		"E03Unimplemented":    {fail("DriverGenerateBucketId", codes.Unimplemented), v1alpha2.ReasonDriverRefused},
		// KEP: REASON-13
		"E06EmptyID": {id(""), v1alpha2.ReasonInvalidDriverResponse},
		"E06Space":   {id("a b"), v1alpha2.ReasonInvalidDriverResponse},
		"E06Newline": {id("a\n"), v1alpha2.ReasonInvalidDriverResponse},
		"E06TooLong": {id(strings.Repeat("x", 2049)), v1alpha2.ReasonInvalidDriverResponse},
		// KEP: GRPC-CREATEBUCKET-4
		"NoProtocol": {answer("DriverCreateBucket", &cosiv1alpha2.DriverCreateBucketResponse{}), v1alpha2.ReasonInvalidDriverResponse},
		// KEP: GRPC-CREATEBUCKET-4
		"AnotherProtocol": {answer("DriverCreateBucket", &cosiv1alpha2.DriverCreateBucketResponse{
			Protocols: &cosiv1alpha2.ObjectProtocolAndBucketInfo{Gcs: &cosiv1alpha2.GcsBucketInfo{}},
		}), v1alpha2.ReasonInvalidDriverResponse},
		// KEP: RETRY-3
		"HugeInfo": {answer("DriverCreateBucket", &cosiv1alpha2.DriverCreateBucketResponse{
			Protocols: &cosiv1alpha2.ObjectProtocolAndBucketInfo{S3: &cosiv1alpha2.S3BucketInfo{Endpoint: strings.Repeat("x", 3<<20)}},
		}), v1alpha2.ReasonInvalidDriverResponse},
	}
	cl := newTestCluster(t)
	cl.start()
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			cl := cl.in(t)
			tc.arrange(cl)
			bucket := cl.bucket()
			cl.WaitCondition(bucket, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, tc.reason)
			cl.WaitCondition(bucket, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, tc.reason)
			cl.isFinal(bucket)
			cl.driver.Script("DriverGenerateBucketId", nil)
			cl.driver.Script("DriverCreateBucket", nil)
		})
	}
}

// isFinal expects that the driver's rejection of an object is not tried again, whatever wakes the
// reconciler. It has to restore the finalizer, and nothing else.
func (cl *testCluster) isFinal(object client.Object) {
	cl.Helper()
	calls, writes := cl.settle()
	cl.Modify(object, func() { object.SetFinalizers(nil) })
	cl.Eventually(func() error { return cl.isProtected(object) })
	if c, n := cl.settle(); c != calls || n != writes+1 {
		cl.Errorf("calls %v, writes %v", cl.driver.Methods(), lines(cl.Requests.Writes()))
	}
}

func TestIDOfMaxLengthIsAccepted(t *testing.T) {
	cl := newTestCluster(t)
	cl.driver.Answer("DriverGenerateBucketId", &cosiv1alpha2.DriverGenerateBucketIdResponse{BucketId: strings.Repeat("x", 2048)})
	cl.start()
	cl.readyBucket()
}

// E37 and E38, on the way to credentials.
// KEP: COND-FAILED-4, COND-ACCESS-1
func TestE37E38TerminalFailuresOfAccesses(t *testing.T) {
	grant := func(change func(*cosiv1alpha2.DriverGrantBucketAccessResponse)) drivertest.Script {
		return func(_ context.Context, _ proto.Message, next drivertest.Next) (proto.Message, error) {
			message, err := next()
			if response, ok := message.(*cosiv1alpha2.DriverGrantBucketAccessResponse); ok {
				change(response)
			}
			return message, err
		}
	}
	fail := func(code codes.Code) drivertest.Script {
		return func(context.Context, proto.Message, drivertest.Next) (proto.Message, error) {
			return nil, status.Error(code, "no")
		}
	}
	tests := map[string]struct {
		method string
		script drivertest.Script
		reason string
	}{
		// KEP: GRPC-GENERATEACCESSID-7, ALT-4
		"E37GenerateOutOfRange": {"DriverGenerateBucketAccessId", fail(codes.OutOfRange), v1alpha2.ReasonDriverRefused},
		// KEP: GRPC-GRANT-7, ALT-4
		"E37GrantOutOfRange": {"DriverGrantBucketAccess", fail(codes.OutOfRange), v1alpha2.ReasonDriverRefused},
		"InvalidArgument":    {"DriverGrantBucketAccess", fail(codes.InvalidArgument), v1alpha2.ReasonDriverRefused},
		// KEP: GRPC-GENERATEACCESSID-9
		"BadAccountID": {"DriverGenerateBucketAccessId",
			func(context.Context, proto.Message, drivertest.Next) (proto.Message, error) {
				return &cosiv1alpha2.DriverGenerateBucketAccessIdResponse{AccountId: "ü"}, nil
			}, v1alpha2.ReasonInvalidDriverResponse},
		"E38NoBuckets": {"DriverGrantBucketAccess",
			grant(func(r *cosiv1alpha2.DriverGrantBucketAccessResponse) { r.Buckets = nil }), v1alpha2.ReasonInvalidDriverResponse},
		// KEP: GRPC-GRANT-4
		"E38NilCredentials": {"DriverGrantBucketAccess",
			grant(func(r *cosiv1alpha2.DriverGrantBucketAccessResponse) { r.Credentials = nil }), v1alpha2.ReasonInvalidDriverResponse},
		"E38NoInfo": {"DriverGrantBucketAccess",
			grant(func(r *cosiv1alpha2.DriverGrantBucketAccessResponse) { r.Buckets[0].BucketInfo = nil }), v1alpha2.ReasonInvalidDriverResponse},
		// KEP: SECRET-2
		"EmptyEndpoint": {"DriverGrantBucketAccess",
			grant(func(r *cosiv1alpha2.DriverGrantBucketAccessResponse) { r.Buckets[0].BucketInfo.S3.Endpoint = "" }),
			v1alpha2.ReasonInvalidDriverResponse},
	}
	cl := newTestCluster(t)
	cl.start()
	bucket := cl.readyBucket()
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			cl := cl.in(t)
			cl.driver.Script(tc.method, tc.script)
			access := cl.access([]*v1alpha2.Bucket{bucket})
			cl.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, tc.reason)
			cl.isFinal(access)
			cl.driver.Script(tc.method, nil)
		})
	}
}

// E29: a driver that keeps failing is called again and again, and costs one
// write and one event, also if it puts a new number into each of its errors.
// KEP: FLOW-CREATE-3.6, COND-BUCKET-1, RETRY-2, EVENT-BUCKET-1, REASON-11
func TestE29RetriesAreSilent(t *testing.T) {
	cl := newTestCluster(t)
	var attempt atomic.Int64
	cl.driver.Script("DriverCreateBucket", func(context.Context, proto.Message, drivertest.Next) (proto.Message, error) {
		return nil, status.Errorf(codes.Internal, "backend says no (request 7f-%d)", attempt.Add(1))
	})
	cl.start()
	bucket := cl.bucket()
	cl.WaitCondition(bucket, v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonDriverError)
	cl.Requests.Reset()
	seen := attempt.Load()
	cl.Eventually(func() error {
		if now := attempt.Load(); now < seen+5 {
			return fmt.Errorf("%d attempts", now)
		}
		return nil
	})
	if got := cl.Requests.Writes(); len(got) > 0 {
		t.Errorf("writes of retries: %v", got)
	}
	cl.Eventually(func() error {
		if diff := cmp.Diff(map[string]int{v1alpha2.ReasonFailedCreateBucket: 1}, cl.EventReasons(bucket)); diff != "" {
			return fmt.Errorf("events (-want +got):\n%s", diff)
		}
		return nil
	})
	cl.driver.Script("DriverCreateBucket", nil)
	cl.WaitReady(bucket)
}

// ProvisionFailed has the result of the latest call, of DriverCreateBucket and of
// DriverGetBucket alike.
// KEP: COND-BUCKET-5
func TestProvisionFailedIsTheLatestResult(t *testing.T) {
	for method, change := range map[string]func(*v1alpha2.Bucket){
		"DriverCreateBucket": func(*v1alpha2.Bucket) {},
		"DriverGetBucket":    existing("there"),
	} {
		t.Run(method, func(t *testing.T) {
			cl := newTestCluster(t)
			cl.driver.AddBucket("there")
			cl.driver.Fail(method, codes.Internal, "first error")
			cl.start()
			bucket := cl.bucket(change)
			for _, message := range []string{"first error", "second error"} {
				cl.driver.Fail(method, codes.Internal, message)
				cl.Eventually(func() error {
					if err := cl.Refresh(bucket); err != nil {
						return err
					}
					c := meta.FindStatusCondition(bucket.Status.Conditions, v1alpha2.ConditionProvisionFailed)
					if c == nil || c.Status != metav1.ConditionTrue || !strings.Contains(c.Message, message) {
						return fmt.Errorf("want ProvisionFailed=True with %q: %v", message, cluster.Lines(bucket.Status.Conditions))
					}
					return nil
				})
			}
			cl.driver.Script(method, nil)
			cl.WaitCondition(bucket, v1alpha2.ConditionProvisionFailed, metav1.ConditionFalse, v1alpha2.ReasonDriverSucceeded)
		})
	}
}

// A driver that rejects the deletion keeps the Bucket, and returns the reason.
func TestE82RejectedDeletionKeepsTheBucket(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	bucket := cl.readyBucket()
	cl.driver.Fail("DriverDeleteBucket", codes.InvalidArgument, "bucket is not empty")
	cl.releaseClaim(bucket)
	cl.Must(cl.Delete(t.Context(), bucket))
	cl.WaitCondition(bucket, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	cl.WaitCondition(bucket, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
	cl.driver.AwaitCalls(t, "DriverDeleteBucket", 2)
	writes := len(cl.Requests.Writes())
	cl.driver.AwaitCalls(t, "DriverDeleteBucket", 3)
	if more := cl.Requests.Writes()[writes:]; len(more) > 0 {
		t.Errorf("writes for the same failure: %v", more)
	}
}

// E23: the claim began to be deleted between the controller's look and the
// sidecar's.
// KEP: FLOW-GRANT-4.5, REASON-18
func TestE23NoAccessToABucketWhoseClaimIsBeingDeleted(t *testing.T) {
	cl := newTestCluster(t)
	cl.start()
	bucket := cl.readyBucket(retain)
	cl.releaseClaim(bucket)
	cl.Eventually(func() error {
		if err := cl.Refresh(bucket); err != nil || bucket.Status.ReadyToUse {
			return fmt.Errorf("not released (%w)", err)
		}
		return nil
	})
	access := cl.access([]*v1alpha2.Bucket{bucket})
	cl.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonBucketClaimDeleting)
	cl.settle()
	if calls := cl.driver.Calls("DriverGenerateBucketAccessId", "DriverGrantBucketAccess"); len(calls) > 0 {
		t.Errorf("calls: %v", calls)
	}
}

// KEP: COND-BUCKET-2, COND-BUCKET-4, TEST-5
func TestSpecsThatTheDriverCannotServe(t *testing.T) {
	tests := map[string]struct {
		change func(*v1alpha2.Bucket)
		reason string
	}{
		// KEP: CHANGE-14, API-BUCKET-SPEC-3, API-CLAIM-SPEC-2, REASON-20
		"Protocol": {
			change: func(b *v1alpha2.Bucket) { b.Spec.Protocols = []v1alpha2.Protocol{v1alpha2.ProtocolAzure} },
			reason: v1alpha2.ReasonProtocolNotSupported,
		},
		"ExistingBucketToBeDeleted": {
			change: func(b *v1alpha2.Bucket) {
				existing("brown")(b)
				b.Spec.DeletionPolicy = v1alpha2.DeletionPolicyDelete
			},
			reason: v1alpha2.ReasonDeletionPolicyNotAllowed,
		},
	}
	cl := newTestCluster(t)
	cl.start()
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			cl := cl.in(t)
			bucket := cl.bucket(tc.change)
			cl.WaitCondition(bucket, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, tc.reason)
			cl.WaitCondition(bucket, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, tc.reason)
			if len(bucket.Finalizers) > 0 {
				t.Errorf("a Bucket that was never provisioned has finalizers: %v", bucket.Finalizers)
			}
			cl.Must(cl.Delete(t.Context(), bucket))
			cl.WaitGone(bucket)
		})
	}
	if got := cl.driver.Methods(); len(got) != 1 {
		t.Errorf("calls: %v", got)
	}
}

// A status that was edited by hand.
// KEP: FLOW-GRANT-4.1, COND-VALID-5, COND-ACCESS-7
func TestAccessesWithEditedStatus(t *testing.T) {
	tests := map[string]struct {
		change func(*v1alpha2.BucketAccess)
		reason string
	}{
		// KEP: REASON-15
		"NoAccessedBuckets": {
			change: func(a *v1alpha2.BucketAccess) { a.Status.AccessedBuckets = nil },
			reason: v1alpha2.ReasonDegraded,
		},
		"NoAuthenticationType": {
			change: func(a *v1alpha2.BucketAccess) { a.Status.AuthenticationType = "" },
			reason: v1alpha2.ReasonDegraded,
		},
		"AnotherClaim": {
			change: func(a *v1alpha2.BucketAccess) { a.Status.AccessedBuckets[0].BucketClaimName = "other" },
			reason: v1alpha2.ReasonDegraded,
		},
		// KEP: FLOW-GRANT-4.4
		"AnotherBucketID": {
			change: func(a *v1alpha2.BucketAccess) { a.Status.AccessedBuckets[0].BucketID = "other" },
			reason: v1alpha2.ReasonDegraded,
		},
		// KEP: FLOW-GRANT-4.4
		"NoBucket": {
			change: func(a *v1alpha2.BucketAccess) { a.Status.AccessedBuckets[0].BucketName = "none" },
			reason: v1alpha2.ReasonBucketLost,
		},
		// KEP: API-ACCESS-SPEC-9
		"NoServiceAccount": {
			change: func(a *v1alpha2.BucketAccess) {
				a.Status.AuthenticationType = v1alpha2.AuthenticationTypeServiceAccount
			},
			reason: v1alpha2.ReasonServiceAccountRequired,
		},
		"AnotherProtocol": {
			change: func(a *v1alpha2.BucketAccess) { a.Spec.Protocol = v1alpha2.ProtocolGCS },
			reason: v1alpha2.ReasonProtocolNotSupported,
		},
	}
	cl := newTestCluster(t)
	cl.start()
	bucket := cl.readyBucket()
	before := len(cl.driver.Calls())
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			cl := cl.in(t)
			access := cl.access([]*v1alpha2.Bucket{bucket}, tc.change)
			cl.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, tc.reason)
			cl.Must(cl.Delete(t.Context(), access))
			cl.isHandedBack(access)
		})
	}
	if got := len(cl.driver.Calls()); got != before {
		t.Errorf("calls: %v", cl.driver.Methods()[before:])
	}
}
