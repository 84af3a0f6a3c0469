package controller_test

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// KEP: USE-3, FLOW-STATIC-4.6, FLOW-STATIC-4.9, API-BUCKET-SPEC-5, API-CLAIM-SPEC-3, UPGRADE-3
func TestE57ExistingBucketInEitherOrder(t *testing.T) {
	for _, tc := range []struct {
		name        string
		bucketFirst bool
	}{
		// KEP: FLOW-STATIC-3
		{"Bucket first", true},
		// KEP: FLOW-STATIC-3, FLOW-STATIC-4.2, REASON-8
		{"claim first", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := start(t)
			bucket, claim := h.existingBucket(existingName, "data"), h.claimOfExisting()
			if tc.bucketFirst {
				h.make(bucket)
				h.report(bucket, provision)
				h.make(claim)
			} else {
				h.make(claim)
				h.claimSays(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionUnknown, v1alpha2.ReasonBucketNotFound)
				h.settles()
				h.make(bucket)
				h.report(bucket, provision)
			}
			h.claimSays(claim, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
			h.claimSays(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated)
			if bound := h.bucketOf(claim); bound.Name != "brown" || bound.Spec.BucketClaimRef.UID != claim.UID {
				t.Errorf("bound to %s with reference %+v, want brown with UID %s", bound.Name, bound.Spec.BucketClaimRef, claim.UID)
			}
		})
	}
}

// KEP: FLOW-STATIC-4.5, ALT-1, REASON-17
func TestExistingBucketOfAnotherClaim(t *testing.T) {
	h := start(t)
	bucket, claim := h.existingBucket(existingName, "other"), h.claimOfExisting()
	h.make(bucket, claim)
	h.claimSays(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBindingConflict)
	h.claimSays(claim, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonBindingConflict)
	h.must(h.Delete(context.Background(), claim))
	h.vanishes(claim)
	h.must(refresh(context.Background(), h, bucket))
	if bucket.Spec.BucketClaimRef.UID != "" || len(bucket.Annotations) > 0 {
		t.Errorf("the other claim's Bucket was touched: %+v", bucket)
	}
}

// TestE50ExistingBucketIsBoundOnce: a claim of the same name that comes later does
// not get the Bucket, and the administrator's correction is noticed.
// KEP: FLOW-DELETE-0.5, FLOW-DELETE-0.6
func TestE50ExistingBucketIsBoundOnce(t *testing.T) {
	h := start(t)
	bucket, first := h.existingBucket(existingName, "data"), h.claimOfExisting()
	h.make(bucket, first)
	h.report(bucket, provision)
	h.claimSays(first, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
	h.must(h.Delete(context.Background(), first))
	h.vanishes(first)
	h.must(refresh(context.Background(), h, bucket))
	if !v1alpha2.IsBucketClaimBeingDeleted(bucket) || !bucket.DeletionTimestamp.IsZero() {
		t.Errorf("Bucket should be annotated and kept: %+v", bucket.ObjectMeta)
	}
	second := h.claimOfExisting()
	h.make(second)
	h.claimSays(second, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBindingConflict)
	h.must(h.removeByForce(context.Background(), bucket))
	h.claimSays(second, v1alpha2.ConditionResourcesValidated, metav1.ConditionUnknown, v1alpha2.ReasonBucketNotFound)
	again := h.existingBucket(existingName, "data")
	h.make(again)
	h.report(again, provision)
	h.claimSays(second, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
}

// KEP: USE-4, FLOW-STATIC-4.8, RETRY-6, REASON-25
func TestExistingBucketMustBeRetained(t *testing.T) {
	h := start(t)
	bucket, claim := h.existingBucket(existingName, "data"), h.claimOfExisting()
	bucket.Spec.DeletionPolicy = v1alpha2.DeletionPolicyDelete
	h.make(bucket, claim)
	h.report(bucket, provision)
	h.claimSays(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonDeletionPolicyNotAllowed)

	h.setPolicy(bucket, v1alpha2.DeletionPolicyRetain)
	h.claimSays(claim, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)

	h.setPolicy(bucket, v1alpha2.DeletionPolicyDelete)
	h.claimSays(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonDeletionPolicyNotAllowed)
	h.claimSays(claim, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)

	h.must(h.Delete(context.Background(), claim))
	h.vanishes(claim)
	h.must(refresh(context.Background(), h, bucket))
	if !bucket.DeletionTimestamp.IsZero() {
		t.Errorf("a bucket that was there before COSI is being deleted")
	}
}

// TestAccessThroughClaimThatIsNotValid: an access is no more valid than its claim,
// although the bucket has the protocol that the access asks for.
// KEP: COND-ACCESS-4
func TestAccessThroughClaimThatIsNotValid(t *testing.T) {
	cases := []struct {
		name   string
		claim  func(*v1alpha2.BucketClaimSpec)
		reason string
	}{
		{"other protocol", func(s *v1alpha2.BucketClaimSpec) { s.Protocols = []v1alpha2.Protocol{v1alpha2.ProtocolGCS} },
			v1alpha2.ReasonProtocolNotSupported},
		{"one protocol too many", func(s *v1alpha2.BucketClaimSpec) { s.Protocols = append(s.Protocols, v1alpha2.ProtocolAzure) },
			v1alpha2.ReasonProtocolNotSupported},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			h := start(t)
			bucket, claim, access := h.existingBucket(existingName, "data"), h.claimOfExisting(), h.access("app", "data")
			tc.claim(&claim.Spec)
			h.make(bucket, newAccessClass(), access, claim)
			h.report(bucket, provision)
			h.accessSays(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, tc.reason)
			h.accessSays(access, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, tc.reason)
			h.settles()
			h.must(refresh(context.Background(), h, access))
			if access.Status.DriverName != "" || len(access.Status.AccessedBuckets) > 0 {
				t.Errorf("handed off: %+v", access.Status)
			}
			awaits(h, claim, "is not held by a rejected access", unprotected)
		})
	}
}

// TestAccessWaitsUntilItsClaimIsValidAgain: what an administrator puts right at the
// Bucket is noticed by the claim, and by the access.
func TestAccessWaitsUntilItsClaimIsValidAgain(t *testing.T) {
	h := start(t)
	bucket, claim := h.existingBucket(existingName, "data"), h.claimOfExisting()
	h.make(bucket, claim, newAccessClass())
	h.report(bucket, provision)
	h.claimSays(claim, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
	h.setPolicy(bucket, v1alpha2.DeletionPolicyDelete)
	h.claimSays(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonDeletionPolicyNotAllowed)
	access := h.access("app", "data")
	h.make(access)
	h.accessSays(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonDeletionPolicyNotAllowed)
	h.setPolicy(bucket, v1alpha2.DeletionPolicyRetain)
	h.handedOff(access)
	h.accessSays(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated)
}

func (h *fixture) setPolicy(bucket *v1alpha2.Bucket, policy v1alpha2.DeletionPolicy) {
	h.t.Helper()
	h.must(refresh(context.Background(), h, bucket))
	before := bucket.DeepCopy()
	bucket.Spec.DeletionPolicy = policy
	h.must(h.Patch(context.Background(), bucket, client.MergeFrom(before)))
}
