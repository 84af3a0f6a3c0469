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

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/cluster"
	"github.com/cosi-emu/cosi-emu/test/drivertest"
)

// E01: what the driver has created is known even if every write after it fails,
// so that it can be deleted.
// KEP: FLOW-CREATE-3.4, GRPC-CREATEBUCKET-2
func TestE01NoBucketLeaksWhenTheResultCannotBeWritten(t *testing.T) {
	w := newWorld(t)
	w.driver.Script("DriverCreateBucket", func(_ context.Context, _ proto.Message, next drivertest.Next) (proto.Message, error) {
		w.requests.Reject(http.MethodPatch, "/status")
		return next()
	})
	w.start()
	bucket := w.bucket()
	w.Eventually(func() error {
		if got := w.driver.Buckets(); len(got) != 1 {
			return fmt.Errorf("the backend has %v", got)
		}
		return nil
	})
	w.releaseClaim(bucket)
	w.Must(w.Delete(t.Context(), bucket))
	w.requests.Intercept(nil)
	w.WaitGone(bucket)
	if got := w.driver.Buckets(); len(got) > 0 {
		t.Errorf("leaked: %v", got)
	}
}

// E02 is the same for an access.
// KEP: FLOW-GRANT-4.7
func TestE02NoAccountLeaksWhenTheResultCannotBeWritten(t *testing.T) {
	w := newWorld(t)
	w.start()
	bucket := w.readyBucket()
	w.driver.Script("DriverGrantBucketAccess", func(_ context.Context, _ proto.Message, next drivertest.Next) (proto.Message, error) {
		w.requests.Reject(http.MethodPatch, "/status")
		return next()
	})
	access := w.access([]*v1alpha2.Bucket{bucket})
	w.Eventually(func() error {
		if got := w.driver.Accounts(); len(got) != 1 {
			return fmt.Errorf("the backend has %v", got)
		}
		return nil
	})
	w.Must(w.Delete(t.Context(), access))
	w.requests.Intercept(nil)
	w.isHandedBack(access)
	if got := w.driver.Accounts(); len(got) > 0 {
		t.Errorf("leaked: %v", got)
	}
}

// E04: the sidecar does not trust a readyToUse and Provisioned that a user wrote.
// KEP: CHANGE-18
func TestE04ReadinessWithoutAnIDIsCorrected(t *testing.T) {
	w := newWorld(t)
	bucket := w.bucket()
	w.ModifyStatus(bucket, func() {
		bucket.Status.ReadyToUse = true
		bucket.Status.Conditions = []metav1.Condition{{
			Type: v1alpha2.ConditionProvisioned, Status: metav1.ConditionTrue, Reason: "Lie", LastTransitionTime: metav1.Now(),
		}}
	})
	w.driver.Fail("DriverGenerateBucketId", codes.Unavailable, "not now")
	w.start()
	w.WaitCondition(bucket, v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonDriverError)
	if bucket.Status.ReadyToUse {
		t.Error("still ready")
	}
	w.driver.Script("DriverGenerateBucketId", nil)
	w.WaitReady(bucket)
	if got := w.driver.Buckets(); len(got) != 1 {
		t.Errorf("the backend has %v", got)
	}
	w.settle()
	w.ModifyStatus(bucket, func() { bucket.Status.ReadyToUse = false })
	w.WaitReady(bucket)
}

// Rejections and invalid answers of the driver: reported once, and
// not asked again.
// KEP: COND-PROV-4, COND-FAILED-4, COND-BUCKET-2, RETRY-1, REASON-12
func TestTerminalFailuresOfBuckets(t *testing.T) {
	fail := func(method string, code codes.Code) func(*world) {
		return func(w *world) { w.driver.Fail(method, code, "no") }
	}
	answer := func(method string, response proto.Message) func(*world) {
		return func(w *world) { w.driver.Answer(method, response) }
	}
	id := func(id string) func(*world) {
		return answer("DriverGenerateBucketId", &cosiv1alpha2.DriverGenerateBucketIdResponse{BucketId: id})
	}
	tests := map[string]struct {
		arrange func(*world)
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
	w := newWorld(t)
	w.start()
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			w := w.in(t)
			tc.arrange(w)
			bucket := w.bucket()
			w.WaitCondition(bucket, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, tc.reason)
			w.WaitCondition(bucket, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, tc.reason)
			calls, writes := w.settle()
			if c, n := w.settle(); c != calls || n != writes {
				t.Errorf("not silent: calls %v, writes %v", w.driver.Methods(), w.requests.Writes())
			}
			w.driver.Script("DriverGenerateBucketId", nil)
			w.driver.Script("DriverCreateBucket", nil)
		})
	}
}

func TestIDOfMaxLengthIsAccepted(t *testing.T) {
	w := newWorld(t)
	w.driver.Answer("DriverGenerateBucketId", &cosiv1alpha2.DriverGenerateBucketIdResponse{BucketId: strings.Repeat("x", 2048)})
	w.start()
	w.readyBucket()
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
	w := newWorld(t)
	w.start()
	bucket := w.readyBucket()
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			w := w.in(t)
			w.driver.Script(tc.method, tc.script)
			access := w.access([]*v1alpha2.Bucket{bucket})
			w.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, tc.reason)
			calls, writes := w.settle()
			if c, n := w.settle(); c != calls || n != writes {
				t.Errorf("not silent: calls %v, writes %v", w.driver.Methods(), w.requests.Writes())
			}
			w.driver.Script(tc.method, nil)
		})
	}
}

// E29: a driver that keeps failing is called again and again, and costs one
// write and one event, also if it puts a new number into each of its errors.
// KEP: FLOW-CREATE-3.6, COND-BUCKET-1, RETRY-2, EVENT-BUCKET-1, REASON-11
func TestE29RetriesAreSilent(t *testing.T) {
	w := newWorld(t)
	var attempt atomic.Int64
	w.driver.Script("DriverCreateBucket", func(context.Context, proto.Message, drivertest.Next) (proto.Message, error) {
		return nil, status.Errorf(codes.Internal, "backend says no (request 7f-%d)", attempt.Add(1))
	})
	w.start()
	bucket := w.bucket()
	w.WaitCondition(bucket, v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonDriverError)
	w.requests.Reset()
	seen := attempt.Load()
	w.Eventually(func() error {
		if now := attempt.Load(); now < seen+5 {
			return fmt.Errorf("%d attempts", now)
		}
		return nil
	})
	if got := w.requests.Writes(); len(got) > 0 {
		t.Errorf("writes of retries: %v", got)
	}
	w.Eventually(func() error {
		if diff := cmp.Diff(map[string]int{v1alpha2.ReasonFailedCreateBucket: 1}, w.EventReasons(bucket)); diff != "" {
			return fmt.Errorf("events (-want +got):\n%s", diff)
		}
		return nil
	})
	w.driver.Script("DriverCreateBucket", nil)
	w.WaitReady(bucket)
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
			w := newWorld(t)
			w.driver.AddBucket("there")
			w.driver.Fail(method, codes.Internal, "first error")
			w.start()
			bucket := w.bucket(change)
			for _, message := range []string{"first error", "second error"} {
				w.driver.Fail(method, codes.Internal, message)
				w.Eventually(func() error {
					if err := w.Refresh(bucket); err != nil {
						return err
					}
					c := meta.FindStatusCondition(bucket.Status.Conditions, v1alpha2.ConditionProvisionFailed)
					if c == nil || c.Status != metav1.ConditionTrue || !strings.Contains(c.Message, message) {
						return fmt.Errorf("want ProvisionFailed=True with %q: %v", message, cluster.Lines(bucket.Status.Conditions))
					}
					return nil
				})
			}
			w.driver.Script(method, nil)
			w.WaitCondition(bucket, v1alpha2.ConditionProvisionFailed, metav1.ConditionFalse, v1alpha2.ReasonDriverSucceeded)
		})
	}
}

// A driver that rejects the deletion keeps the Bucket, and returns the reason.
func TestE82RejectedDeletionKeepsTheBucket(t *testing.T) {
	w := newWorld(t)
	w.start()
	bucket := w.readyBucket()
	w.driver.Fail("DriverDeleteBucket", codes.InvalidArgument, "bucket is not empty")
	w.releaseClaim(bucket)
	w.Must(w.Delete(t.Context(), bucket))
	w.WaitCondition(bucket, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	w.WaitCondition(bucket, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
	w.driver.AwaitCalls(t, "DriverDeleteBucket", 2)
	writes := len(w.requests.Writes())
	w.driver.AwaitCalls(t, "DriverDeleteBucket", 3)
	if more := w.requests.Writes()[writes:]; len(more) > 0 {
		t.Errorf("writes for the same failure: %v", more)
	}
}

// E23: the claim began to be deleted between the controller's look and the
// sidecar's.
// KEP: FLOW-GRANT-4.5, REASON-18
func TestE23NoAccessToABucketWhoseClaimIsBeingDeleted(t *testing.T) {
	w := newWorld(t)
	w.start()
	bucket := w.readyBucket(retain)
	w.releaseClaim(bucket)
	w.Eventually(func() error {
		if err := w.Refresh(bucket); err != nil || bucket.Status.ReadyToUse {
			return fmt.Errorf("not released (%w)", err)
		}
		return nil
	})
	access := w.access([]*v1alpha2.Bucket{bucket})
	w.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonBucketClaimDeleting)
	w.settle()
	if calls := w.driver.Calls("DriverGenerateBucketAccessId", "DriverGrantBucketAccess"); len(calls) > 0 {
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
	w := newWorld(t)
	w.start()
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			w := w.in(t)
			bucket := w.bucket(tc.change)
			w.WaitCondition(bucket, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, tc.reason)
			w.WaitCondition(bucket, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, tc.reason)
			if len(bucket.Finalizers) > 0 {
				t.Errorf("a Bucket that was never provisioned has finalizers: %v", bucket.Finalizers)
			}
			w.Must(w.Delete(t.Context(), bucket))
			w.WaitGone(bucket)
		})
	}
	if got := w.driver.Methods(); len(got) != 1 {
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
	w := newWorld(t)
	w.start()
	bucket := w.readyBucket()
	before := len(w.driver.Calls())
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			w := w.in(t)
			access := w.access([]*v1alpha2.Bucket{bucket}, tc.change)
			w.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, tc.reason)
			w.Must(w.Delete(t.Context(), access))
			w.isHandedBack(access)
		})
	}
	if got := len(w.driver.Calls()); got != before {
		t.Errorf("calls: %v", w.driver.Methods()[before:])
	}
}
