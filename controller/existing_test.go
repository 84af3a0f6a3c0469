package controller_test

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/cluster"
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
			cl := start(t)
			bucket, claim := cl.existingBucket(existingName, "data"), cl.claimOfExisting()
			if tc.bucketFirst {
				cl.Make(bucket)
				cl.report(bucket, provision)
				cl.Make(claim)
			} else {
				cl.Make(claim)
				cl.WaitCondition(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionUnknown, v1alpha2.ReasonBucketNotFound)
				cl.Settle()
				cl.Make(bucket)
				cl.report(bucket, provision)
			}
			cl.WaitCondition(claim, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
			cl.WaitCondition(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated)
			if bound := cl.bucketOf(claim); bound.Name != "brown" || bound.Spec.BucketClaimRef.UID != claim.UID {
				t.Errorf("bound to %s with reference %+v, want brown with UID %s", bound.Name, bound.Spec.BucketClaimRef, claim.UID)
			}
		})
	}
}

// KEP: FLOW-STATIC-4.5, ALT-1, REASON-17
func TestExistingBucketOfAnotherClaim(t *testing.T) {
	cl := start(t)
	bucket, claim := cl.existingBucket(existingName, "other"), cl.claimOfExisting()
	cl.Make(bucket, claim)
	cl.WaitCondition(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBindingConflict)
	cl.WaitCondition(claim, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonBindingConflict)
	cl.Must(cl.Delete(context.Background(), claim))
	cl.WaitGone(claim)
	cl.Must(cl.Refresh(bucket))
	if bucket.Spec.BucketClaimRef.UID != "" || len(bucket.Annotations) > 0 {
		t.Errorf("the other claim's Bucket was touched: %+v", bucket)
	}
}

// TestE50ExistingBucketIsBoundOnce: a claim of the same name that comes later does
// not get the Bucket, and the administrator's correction is noticed.
// KEP: FLOW-DELETE-0.5, FLOW-DELETE-0.6
func TestE50ExistingBucketIsBoundOnce(t *testing.T) {
	cl := start(t)
	bucket, first := cl.existingBucket(existingName, "data"), cl.claimOfExisting()
	cl.Make(bucket, first)
	cl.report(bucket, provision)
	cl.WaitCondition(first, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
	cl.Must(cl.Delete(context.Background(), first))
	cl.WaitGone(first)
	cl.Must(cl.Refresh(bucket))
	if !v1alpha2.IsBucketClaimBeingDeleted(bucket) || !bucket.DeletionTimestamp.IsZero() {
		t.Errorf("Bucket should be annotated and kept: %+v", bucket.ObjectMeta)
	}
	second := cl.claimOfExisting()
	cl.Make(second)
	cl.WaitCondition(second, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBindingConflict)
	cl.ForceRemove(bucket)
	cl.WaitCondition(second, v1alpha2.ConditionResourcesValidated, metav1.ConditionUnknown, v1alpha2.ReasonBucketNotFound)
	again := cl.existingBucket(existingName, "data")
	cl.Make(again)
	cl.report(again, provision)
	cl.WaitCondition(second, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
}

// KEP: USE-4, FLOW-STATIC-4.8, RETRY-6, REASON-25
func TestExistingBucketMustBeRetained(t *testing.T) {
	cl := start(t)
	bucket, claim := cl.existingBucket(existingName, "data"), cl.claimOfExisting()
	bucket.Spec.DeletionPolicy = v1alpha2.DeletionPolicyDelete
	cl.Make(bucket, claim)
	cl.report(bucket, provision)
	cl.WaitCondition(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonDeletionPolicyNotAllowed)

	cl.setPolicy(bucket, v1alpha2.DeletionPolicyRetain)
	cl.WaitCondition(claim, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)

	cl.setPolicy(bucket, v1alpha2.DeletionPolicyDelete)
	cl.WaitCondition(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonDeletionPolicyNotAllowed)
	cl.WaitCondition(claim, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)

	cl.Must(cl.Delete(context.Background(), claim))
	cl.WaitGone(claim)
	cl.Must(cl.Refresh(bucket))
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
			cl := start(t)
			bucket, claim, access := cl.existingBucket(existingName, "data"), cl.claimOfExisting(), cl.access("app", "data")
			tc.claim(&claim.Spec)
			cl.Make(bucket, newAccessClass(), access, claim)
			cl.report(bucket, provision)
			cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, tc.reason)
			cl.WaitCondition(access, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, tc.reason)
			cl.Settle()
			cl.Must(cl.Refresh(access))
			if access.Status.DriverName != "" || len(access.Status.AccessedBuckets) > 0 {
				t.Errorf("handed off: %+v", access.Status)
			}
			cluster.Await(cl.Cluster, claim, "is not held by a rejected access", unprotected)
		})
	}
}

// TestAccessWaitsUntilItsClaimIsValidAgain: when an administrator corrects the Bucket, the claim and
// the access become ready.
func TestAccessWaitsUntilItsClaimIsValidAgain(t *testing.T) {
	cl := start(t)
	bucket, claim := cl.existingBucket(existingName, "data"), cl.claimOfExisting()
	cl.Make(bucket, claim, newAccessClass())
	cl.report(bucket, provision)
	cl.WaitCondition(claim, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
	cl.setPolicy(bucket, v1alpha2.DeletionPolicyDelete)
	cl.WaitCondition(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonDeletionPolicyNotAllowed)
	access := cl.access("app", "data")
	cl.Make(access)
	cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonDeletionPolicyNotAllowed)
	cl.setPolicy(bucket, v1alpha2.DeletionPolicyRetain)
	cl.handedOff(access)
	cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated)
}

func (cl *testCluster) setPolicy(bucket *v1alpha2.Bucket, policy v1alpha2.DeletionPolicy) {
	cl.Helper()
	cl.Must(cl.Refresh(bucket))
	before := bucket.DeepCopy()
	bucket.Spec.DeletionPolicy = policy
	cl.Must(cl.Patch(context.Background(), bucket, client.MergeFrom(before)))
}
