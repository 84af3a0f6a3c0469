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
	h := start(t)
	h.make(class())
	claim := h.claim("data")
	h.make(claim)
	bucket := h.bucketOf(claim)

	want := v1alpha2.BucketSpec{
		DriverName: driver, DeletionPolicy: v1alpha2.DeletionPolicyDelete,
		Protocols: claim.Spec.Protocols, Parameters: map[string]string{"tier": "gold"},
		BucketClaimRef: v1alpha2.BucketClaimReference{Namespace: h.namespace, Name: "data", UID: claim.UID},
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
	h.claimSays(claim, v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonWaitingForBucket)
	h.claimSays(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated)
	h.claimSays(claim, v1alpha2.ConditionProvisionFailed, metav1.ConditionUnknown, v1alpha2.ReasonPending)

	h.report(bucket, provision)
	h.claimSays(claim, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
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
	h := start(t)
	h.make(class())
	claim, _ := h.provisioned("data")
	h.settles()
	of := "/apis/objectstorage.k8s.io/v1alpha2/namespaces/" + h.namespace + "/bucketclaims/data"
	want := []string{
		"PATCH " + of + " 200",
		"POST /apis/objectstorage.k8s.io/v1alpha2/buckets 201",
		"PATCH " + of + "/status 200",
		"PATCH " + of + "/status 200",
	}
	if diff := cmp.Diff(want, texts(h.requests.Writes())); diff != "" {
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
	h := start(t)
	claim := h.claim("data")
	h.make(claim)
	h.claimSays(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionUnknown, v1alpha2.ReasonBucketClassNotFound)
	h.claimSays(claim, v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonBucketClassNotFound)
	h.settles()
	h.make(class())
	h.bucketOf(claim)
	h.claimSays(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated)
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
	h := start(t)
	h.make(class())
	for i, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			claim := h.claim(fmt.Sprintf("claim-%d", i))
			h.make(claim)
			bucket := h.bucketOf(claim)
			for _, step := range tc.bucket {
				h.report(bucket, step)
				h.settles()
			}
			h.must(refresh(context.Background(), h, claim))
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
	h := start(t)
	h.make(class())
	claim := h.claim("data")
	h.make(claim)
	bucket := h.bucketOf(claim)
	h.report(bucket, func(s *v1alpha2.BucketStatus) {
		provision(s)
		s.Protocols = []v1alpha2.Protocol{v1alpha2.ProtocolGCS}
	})
	h.claimSays(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonProtocolNotSupported)
	h.claimSays(claim, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonProtocolNotSupported)
	h.report(bucket, provision)
	h.claimSays(claim, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
}

// TestE09LostBucket: a Bucket that was removed by force is not created again,
// neither at once nor by a controller that starts later.
// KEP: FLOW-CREATE-2.2, FLOW-CREATE-2.5, FLOW-DELETE-2.2.1, REASON-16
func TestE09LostBucket(t *testing.T) {
	h := start(t)
	h.make(class())
	claim, bucket := h.provisioned("data")
	h.must(h.removeByForce(context.Background(), bucket))
	h.claimSays(claim, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonBucketLost)
	h.claimSays(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketLost)
	if claim.Status.ReadyToUse {
		t.Errorf("claim without a Bucket is ready")
	}
	h.stopController()
	h.startController()
	h.settles()
	buckets := &v1alpha2.BucketList{}
	h.must(h.List(context.Background(), buckets))
	if len(buckets.Items) > 0 {
		t.Errorf("Bucket was created again: %v", buckets.Items)
	}
	h.must(h.Delete(context.Background(), claim))
	h.vanishes(claim)
}

// TestClaimAfterCrash: the controller dies between the creation of the Bucket
// and the write that binds the claim to it.
// KEP: FLOW-CREATE-0, FLOW-CREATE-2.4, FLOW-CREATE-2.7
func TestClaimAfterCrash(t *testing.T) {
	h := prepare(t)
	h.make(class())
	h.failRequests(func(r *http.Request) error {
		if strings.HasSuffix(r.URL.Path, "/bucketclaims/data/status") {
			return context.DeadlineExceeded
		}
		return nil
	})
	h.startController()
	claim := h.claim("data")
	h.make(claim)
	bucket := &v1alpha2.Bucket{ObjectMeta: metav1.ObjectMeta{Name: v1alpha2.BucketNameForClaim(claim.UID)}}
	awaits(h, bucket, "exists", func(*v1alpha2.Bucket) error { return nil })
	uid := bucket.UID
	h.stopController()
	h.requests.Intercept(nil)
	h.startController()
	if bound := h.bucketOf(claim); bound.UID != uid {
		t.Errorf("claim is bound to another Bucket than the one that was created first")
	}
}

// TestClaimWithForeignBucket: another object has the reserved name.
// KEP: FLOW-DELETE-2.2.2
func TestClaimWithForeignBucket(t *testing.T) {
	h := start(t)
	claim := h.claim("data")
	h.make(claim)
	foreign := h.existingBucket(v1alpha2.BucketNameForClaim(claim.UID), "other")
	h.make(foreign, class())
	h.claimSays(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBindingConflict)
	h.must(h.Delete(context.Background(), claim))
	h.vanishes(claim)
	h.must(refresh(context.Background(), h, foreign))
	if !foreign.DeletionTimestamp.IsZero() || len(foreign.Annotations) > 0 {
		t.Errorf("the foreign Bucket was touched: %+v", foreign.ObjectMeta)
	}
}

// KEP: FLOW-CREATE-2.2, FLOW-STATIC-4.1, COND-CLAIM-5, REASON-15
func TestClaimWithEditedStatus(t *testing.T) {
	h := prepare(t)
	h.make(class())
	claim := h.claim("data")
	h.make(claim)
	claim.Status.BoundBucketName = "foreign"
	h.must(h.Status().Update(context.Background(), claim))
	h.startController()
	h.claimSays(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonDegraded)
	h.must(h.Delete(context.Background(), claim))
	h.vanishes(claim)
}

// KEP: EVENT-CLAIM-1, REASON-2, REASON-5, REASON-30
func TestClaimEvents(t *testing.T) {
	h := start(t)
	claim := h.claim("data")
	h.make(claim)
	h.claimSays(claim, v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonBucketClassNotFound)
	h.make(class())
	bucket := h.bucketOf(claim)
	h.report(bucket, func(s *v1alpha2.BucketStatus) {
		conditions(s, metav1.ConditionUnknown, metav1.ConditionTrue, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	})
	h.claimSays(claim, v1alpha2.ConditionProvisionFailed, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	h.report(bucket, provision)
	h.claimSays(claim, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
	want := map[string]string{
		"BucketClassNotFound": `Normal: waiting for BucketClass "gold", which does not exist`,
		"Bound":               fmt.Sprintf("Normal: bound to Bucket %q", bucket.Name),
		"FailedCreateBucket":  fmt.Sprintf("Warning: DriverError: Bucket %q: said the sidecar", bucket.Name),
		"Provisioned":         fmt.Sprintf("Normal: Bucket %q is provisioned", bucket.Name),
	}
	h.eventually("events", func(ctx context.Context) error {
		if diff := cmp.Diff(want, h.events(ctx, claim)); diff != "" {
			return fmt.Errorf("events (-want +got):\n%s", diff)
		}
		return nil
	})
}
