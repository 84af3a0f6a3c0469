package controller_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/cluster"
)

// KEP: CHANGE-6, CHANGE-11, ARCH-1, LIFE-6, USE-2, FLOW-CREATE-1, FLOW-CREATE-2.1
// KEP: FLOW-CREATE-2.3, FLOW-CREATE-2.6, FLOW-CREATE-2.6.1, FLOW-CREATE-2.6.2, FLOW-CREATE-5.1
// KEP: FLOW-CREATE-5.3.1, FLOW-CREATE-5.3.2, API-BUCKET-SPEC-5
// KEP: API-CLAIM-STATUS-3, COND-CLAIM-1, GRPC-GENERATEBUCKETID-6, TEST-4
// KEP: STATUS-CLAIM-1, REASON-1, REASON-3, API-CLAIM-STATUS-2
func TestClaimGetsBucket(t *testing.T) {
	cl := start(t)
	cl.Make(class())
	claim := cl.claim("data")
	cl.Make(claim)
	bucket := cl.bucketOf(claim)

	want := v1alpha2.BucketSpec{
		DriverName: driver, DeletionPolicy: v1alpha2.DeletionPolicyDelete,
		Protocols: claim.Spec.Protocols, Parameters: map[string]string{"tier": "gold"},
		BucketClaimRef: v1alpha2.BucketClaimReference{Namespace: cl.Namespace, Name: "data", UID: claim.UID},
	}
	if diff := cmp.Diff(want, bucket.Spec); diff != "" {
		t.Errorf("spec of the Bucket (-want +got):\n%s", diff)
	}
	if want := "bc-" + string(claim.UID); bucket.Name != want {
		t.Errorf("Bucket is called %q, want %q", bucket.Name, want)
	}
	if len(bucket.Finalizers) > 0 {
		t.Errorf("Bucket has finalizers %v, which are the sidecar's to set", bucket.Finalizers)
	}
	if !controllerutil.ContainsFinalizer(claim, v1alpha2.ProtectionFinalizer) {
		t.Errorf("claim has no finalizer")
	}
	cl.WaitCondition(claim, v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonWaitingForBucket)
	cl.WaitCondition(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated)
	cl.WaitCondition(claim, v1alpha2.ConditionProvisionFailed, metav1.ConditionUnknown, v1alpha2.ReasonPending)

	cl.report(bucket, provision)
	cl.WaitCondition(claim, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
	if !claim.Status.ReadyToUse {
		t.Errorf("claim is provisioned and not ready")
	}
	if diff := cmp.Diff([]v1alpha2.Protocol{v1alpha2.ProtocolS3}, claim.Status.Protocols); diff != "" {
		t.Errorf("protocols (-want +got):\n%s", diff)
	}
	for _, c := range claim.Status.Conditions {
		if c.ObservedGeneration != claim.Generation {
			t.Errorf("condition %s is of generation %d, want %d", c.Type, c.ObservedGeneration, claim.Generation)
		}
	}
}

// TestClaimWrites holds the controller to the fewest writes that there can be:
// finalizer, Bucket, bound name, final status.
// KEP: FLOW-CREATE-2.1, FLOW-CREATE-2.7
func TestClaimWrites(t *testing.T) {
	cl := start(t)
	cl.Make(class())
	claim, _ := cl.provisioned("data")
	cl.Settle()
	of := "/apis/objectstorage.k8s.io/v1alpha2/namespaces/" + cl.Namespace + "/bucketclaims/data"
	want := []string{
		"PATCH " + of + " 200",
		"POST /apis/objectstorage.k8s.io/v1alpha2/buckets 201",
		"PATCH " + of + "/status 200",
		"PATCH " + of + "/status 200",
	}
	if diff := cmp.Diff(want, texts(cl.Requests.Writes())); diff != "" {
		t.Errorf("writes for BucketClaim %s (-want +got):\n%s", claim.Name, diff)
	}
}

func texts(calls []cluster.Request) []string {
	var found []string
	for _, c := range calls {
		found = append(found, c.String())
	}
	return found
}

// KEP: FLOW-CREATE-1, COND-CLAIM-3, RETRY-7, REASON-5
func TestClaimWaitsForClass(t *testing.T) {
	cl := start(t)
	claim := cl.claim("data")
	cl.Make(claim)
	cl.WaitCondition(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionUnknown, v1alpha2.ReasonBucketClassNotFound)
	cl.WaitCondition(claim, v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonBucketClassNotFound)
	cl.Settle()
	cl.Make(class())
	cl.bucketOf(claim)
	cl.WaitCondition(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated)
}

// KEP: OVER-4
func TestE61ClaimMirrorsBucket(t *testing.T) {
	type says struct {
		Provisioned, Validated, Failed metav1.ConditionStatus
		Ready                          bool
	}
	const yes, no, unknown = metav1.ConditionTrue, metav1.ConditionFalse, metav1.ConditionUnknown
	cases := []struct {
		name   string
		reason string
		bucket []func(*v1alpha2.BucketStatus)
		want   says
	}{
		// KEP: FLOW-CREATE-2.8
		{"E05 phase 1", "an ID is no bucket", []func(*v1alpha2.BucketStatus){identify}, says{unknown, yes, unknown, false}},
		// KEP: FLOW-CREATE-5.2
		{"provisioned without ID", "a Bucket without ID has not been through the driver",
			[]func(*v1alpha2.BucketStatus){func(s *v1alpha2.BucketStatus) { provision(s); s.BucketID = "" }},
			says{unknown, yes, no, false}},
		// KEP: COND-CLAIM-2
		{"rejected", "False is copied",
			[]func(*v1alpha2.BucketStatus){func(s *v1alpha2.BucketStatus) { conditions(s, no, yes, yes, "DriverRefused") }},
			says{no, yes, yes, false}},
		// KEP: COND-CLAIM-7
		{"failing", "the driver's error is shown, and may pass",
			[]func(*v1alpha2.BucketStatus){func(s *v1alpha2.BucketStatus) { conditions(s, unknown, yes, yes, "DriverError") }},
			says{unknown, yes, yes, false}},
		// KEP: STATUS-BUCKET-2
		{"E18 recovered", "nothing of an error stays",
			[]func(*v1alpha2.BucketStatus){func(s *v1alpha2.BucketStatus) { conditions(s, no, no, yes, "DriverRefused") }, provision},
			says{yes, yes, no, true}},
		// KEP: COND-CLAIM-2
		{"Unknown after False", "Unknown is never copied",
			[]func(*v1alpha2.BucketStatus){
				func(s *v1alpha2.BucketStatus) { conditions(s, no, yes, yes, "DriverRefused") },
				func(s *v1alpha2.BucketStatus) { conditions(s, unknown, yes, no, "Pending") },
			}, says{no, yes, no, false}},
		// KEP: COND-CLAIM-6
		{"failing after success", "Provisioned does not go back",
			[]func(*v1alpha2.BucketStatus){provision, func(s *v1alpha2.BucketStatus) { conditions(s, unknown, no, yes, "DriverError") }},
			says{yes, no, yes, true}},
		{"lost", "a definite loss is copied",
			[]func(*v1alpha2.BucketStatus){provision, func(s *v1alpha2.BucketStatus) { conditions(s, no, yes, yes, "DriverRefused") }},
			says{no, yes, yes, false}},
	}
	cl := start(t)
	cl.Make(class())
	for i, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			claim := cl.claim(fmt.Sprintf("claim-%d", i))
			cl.Make(claim)
			bucket := cl.bucketOf(claim)
			for _, step := range tc.bucket {
				cl.report(bucket, step)
				cl.Settle()
			}
			cl.Must(cl.Refresh(claim))
			got := says{Ready: claim.Status.ReadyToUse}
			for _, c := range claim.Status.Conditions {
				switch c.Type {
				case v1alpha2.ConditionProvisioned:
					got.Provisioned = c.Status
				case v1alpha2.ConditionResourcesValidated:
					got.Validated = c.Status
				case v1alpha2.ConditionProvisionFailed:
					got.Failed = c.Status
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: status of the claim (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// KEP: FLOW-CREATE-5.2, FLOW-STATIC-4.8, API-CLAIM-SPEC-2, REASON-20
func TestClaimNeedsProtocols(t *testing.T) {
	cl := start(t)
	cl.Make(class())
	claim := cl.claim("data")
	cl.Make(claim)
	bucket := cl.bucketOf(claim)
	cl.report(bucket, func(s *v1alpha2.BucketStatus) {
		provision(s)
		s.Protocols = []v1alpha2.Protocol{v1alpha2.ProtocolGCS}
	})
	cl.WaitCondition(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonProtocolNotSupported)
	cl.WaitCondition(claim, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonProtocolNotSupported)
	cl.report(bucket, provision)
	cl.WaitCondition(claim, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
}

// TestE09LostBucket: a Bucket that was removed by force is not created again,
// neither at once nor by a controller that starts later.
// KEP: FLOW-CREATE-2.2, FLOW-CREATE-2.5, FLOW-DELETE-2.2.1, REASON-16
func TestE09LostBucket(t *testing.T) {
	cl := start(t)
	cl.Make(class())
	claim, bucket := cl.provisioned("data")
	cl.ForceRemove(bucket)
	cl.WaitCondition(claim, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonBucketLost)
	cl.WaitCondition(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketLost)
	if claim.Status.ReadyToUse {
		t.Errorf("claim without a Bucket is ready")
	}
	cl.stopController()
	cl.startController()
	cl.Settle()
	buckets := &v1alpha2.BucketList{}
	cl.Must(cl.List(context.Background(), buckets))
	if len(buckets.Items) > 0 {
		t.Errorf("Bucket was created again: %v", buckets.Items)
	}
	cl.Must(cl.Delete(context.Background(), claim))
	cl.WaitGone(claim)
}

// TestClaimAfterCrash: the controller dies between the creation of the Bucket
// and the write that binds the claim to it.
// KEP: FLOW-CREATE-0, FLOW-CREATE-2.4, FLOW-CREATE-2.7
func TestClaimAfterCrash(t *testing.T) {
	cl := prepare(t)
	cl.Make(class())
	cl.failRequests(func(r *http.Request) error {
		if strings.HasSuffix(r.URL.Path, "/bucketclaims/data/status") {
			return context.DeadlineExceeded
		}
		return nil
	})
	cl.startController()
	claim := cl.claim("data")
	cl.Make(claim)
	bucket := &v1alpha2.Bucket{ObjectMeta: metav1.ObjectMeta{Name: v1alpha2.BucketNameForClaim(claim.UID)}}
	cluster.Await(cl.Cluster, bucket, "exists", func(*v1alpha2.Bucket) error { return nil })
	uid := bucket.UID
	cl.stopController()
	cl.Requests.Intercept(nil)
	cl.startController()
	if bound := cl.bucketOf(claim); bound.UID != uid {
		t.Errorf("claim is bound to another Bucket than the one that was created first")
	}
}

// TestClaimWithForeignBucket: another object has the reserved name.
// KEP: FLOW-DELETE-2.2.2
func TestClaimWithForeignBucket(t *testing.T) {
	cl := start(t)
	claim := cl.claim("data")
	cl.Make(claim)
	foreign := cl.existingBucket(v1alpha2.BucketNameForClaim(claim.UID), "other")
	cl.Make(foreign, class())
	cl.WaitCondition(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBindingConflict)
	cl.Must(cl.Delete(context.Background(), claim))
	cl.WaitGone(claim)
	cl.Must(cl.Refresh(foreign))
	if !foreign.DeletionTimestamp.IsZero() || len(foreign.Annotations) > 0 {
		t.Errorf("the foreign Bucket was touched: %+v", foreign.ObjectMeta)
	}
}

// KEP: FLOW-CREATE-2.2, FLOW-STATIC-4.1, COND-CLAIM-5, REASON-15
func TestClaimWithEditedStatus(t *testing.T) {
	cl := prepare(t)
	cl.Make(class())
	claim := cl.claim("data")
	cl.Make(claim)
	claim.Status.BoundBucketName = "foreign"
	cl.Must(cl.Status().Update(context.Background(), claim))
	cl.startController()
	cl.WaitCondition(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonDegraded)
	cl.Must(cl.Delete(context.Background(), claim))
	cl.WaitGone(claim)
}

// KEP: EVENT-CLAIM-1, REASON-2, REASON-5, REASON-30
func TestClaimEvents(t *testing.T) {
	cl := start(t)
	claim := cl.claim("data")
	cl.Make(claim)
	cl.WaitCondition(claim, v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonBucketClassNotFound)
	cl.Make(class())
	bucket := cl.bucketOf(claim)
	cl.report(bucket, func(s *v1alpha2.BucketStatus) {
		conditions(s, metav1.ConditionUnknown, metav1.ConditionTrue, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	})
	cl.WaitCondition(claim, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	cl.report(bucket, provision)
	cl.WaitCondition(claim, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
	want := map[string]string{
		"BucketClassNotFound": `Normal: waiting for BucketClass "gold", which does not exist`,
		"Bound":               fmt.Sprintf("Normal: bound to Bucket %q", bucket.Name),
		"FailedCreateBucket":  fmt.Sprintf("Warning: DriverError: Bucket %q: said the sidecar", bucket.Name),
		"Provisioned":         fmt.Sprintf("Normal: Bucket %q is provisioned", bucket.Name),
	}
	cl.Eventually(func() error {
		if diff := cmp.Diff(want, cl.Events(claim)); diff != "" {
			return fmt.Errorf("events (-want +got):\n%s", diff)
		}
		return nil
	})
}
