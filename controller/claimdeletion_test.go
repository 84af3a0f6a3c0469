package controller_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// KEP: FLOW-DELETE-2.2.6, ANNO-1, REASON-19
func TestDeleteClaimAndBucket(t *testing.T) {
	h := start(t)
	h.make(class())
	claim, bucket := h.provisioned("data")
	h.must(h.Delete(context.Background(), claim))
	h.vanishes(claim)
	h.must(refresh(context.Background(), h, bucket))
	h.must(beingDeleted(bucket))
	before := h.settles()
	h.report(bucket, func(s *v1alpha2.BucketStatus) {
		conditions(s, metav1.ConditionTrue, metav1.ConditionTrue, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	})
	h.settles()
	for _, write := range h.requests.Writes()[before:] {
		if !strings.HasSuffix(write.Path, "/events") {
			t.Errorf("a write for a Bucket that only the sidecar has to do with: %s", write)
		}
	}
	h.releaseBucket(bucket)
	h.vanishes(bucket)
}

func beingDeleted(b *v1alpha2.Bucket) error {
	if b.DeletionTimestamp.IsZero() || !v1alpha2.IsBucketClaimBeingDeleted(b) {
		return fmt.Errorf("not deleting or not annotated: %+v", b.ObjectMeta)
	}
	return nil
}

// KEP: OVER-7, FLOW-DELETE-0.2, FLOW-DELETE-2.2.3, FLOW-DELETE-2.2.5, ANNO-2
func TestDeleteClaimAndRetainBucket(t *testing.T) {
	h := start(t)
	h.make(class(retain))
	claim, bucket := h.provisioned("data")
	h.must(h.Delete(context.Background(), claim))
	h.vanishes(claim)
	h.must(refresh(context.Background(), h, bucket))
	if !bucket.DeletionTimestamp.IsZero() {
		t.Errorf("the Bucket is being deleted: %+v", bucket.ObjectMeta)
	}
	want := map[string]string{"objectstorage.k8s.io/bucketclaim-being-deleted": ""}
	if diff := cmp.Diff(want, bucket.Annotations); diff != "" {
		t.Errorf("annotations of the Bucket (-want +got):\n%s", diff)
	}
}

// TestHeldClaim: a claim that another finalizer keeps is released, and is not ready to
// use any more.
func TestHeldClaim(t *testing.T) {
	h := start(t)
	h.make(class())
	claim, bucket := h.provisioned("data")
	h.setFinalizers(claim, "example.com/held", v1alpha2.ProtectionFinalizer)
	h.must(h.Delete(context.Background(), claim))
	awaits(h, claim, "is released", func(c *v1alpha2.BucketClaim) error {
		if len(c.Finalizers) > 1 || c.Status.ReadyToUse {
			return fmt.Errorf("finalizers %v, ready to use: %t", c.Finalizers, c.Status.ReadyToUse)
		}
		return nil
	})
	awaits(h, bucket, "may go", beingDeleted)
	h.setFinalizers(claim)
	h.vanishes(claim)
}

func (h *fixture) setFinalizers(claim *v1alpha2.BucketClaim, finalizers ...string) {
	h.t.Helper()
	before := claim.DeepCopy()
	claim.Finalizers = finalizers
	h.must(h.Patch(context.Background(), claim, client.MergeFrom(before)))
}

// KEP: FLOW-DELETE-2.2.1
func TestDeleteClaimThatNeverGotABucket(t *testing.T) {
	h := start(t)
	claim := h.claim("data")
	h.make(claim)
	h.claimSays(claim, v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonBucketClassNotFound)
	h.must(h.Delete(context.Background(), claim))
	h.vanishes(claim)
}

// TestDeleteBucketThenClaim: the administrator deletes the Bucket, which waits
// for the claim to go.
// KEP: FLOW-DELETE-0.3
func TestE15DeleteBucketThenClaim(t *testing.T) {
	h := start(t)
	h.make(class())
	claim, bucket := h.provisioned("data")
	h.must(h.Delete(context.Background(), bucket))
	h.claimSays(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketDeleting)
	h.claimSays(claim, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
	h.must(h.Delete(context.Background(), claim))
	h.vanishes(claim)
	awaits(h, bucket, "may go", beingDeleted)
	h.releaseBucket(bucket)
	h.vanishes(bucket)
}

// TestE68DeleteWhileControllerIsDown: what was deleted meanwhile is not taken
// for new.
func TestE68DeleteWhileControllerIsDown(t *testing.T) {
	h := start(t)
	h.make(class())
	claim, bucket := h.provisioned("data")
	h.stopController()
	h.must(h.Delete(context.Background(), claim))
	h.startController()
	h.vanishes(claim)
	awaits(h, bucket, "may go", beingDeleted)
}

// TestE21DeletionIsBlocked and, for E25, that the removal of the annotation,
// which changes metadata only, wakes the claim.
// KEP: FLOW-DELETE-0.4, FLOW-DELETE-2.1, FLOW-GRANT-3.5, REASON-28
func TestE21E25DeletionIsBlockedAndWoken(t *testing.T) {
	h := start(t)
	h.make(class(retain), newAccessClass())
	claim, bucket := h.provisioned("data")
	access := h.access("app", "data")
	h.make(access)
	h.handedOff(access)
	h.must(h.Delete(context.Background(), claim))
	h.claimSays(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonDeletionBlocked)
	blocked := meta.FindStatusCondition(claim.Status.Conditions, v1alpha2.ConditionResourcesValidated)
	if !strings.Contains(blocked.Message, "BucketAccess app") {
		t.Errorf("message does not name the access: %q", blocked.Message)
	}
	if claim.Status.ReadyToUse {
		t.Errorf("a claim that is being deleted is ready")
	}
	h.eventually("the Event", func(ctx context.Context) error {
		want := "Normal: deletion waits for BucketAccess app"
		if got := h.events(ctx, claim)[v1alpha2.ReasonDeletionBlocked]; got != want {
			return fmt.Errorf("%q, want %q", got, want)
		}
		return nil
	})
	h.must(refresh(context.Background(), h, bucket))
	if v1alpha2.IsBucketClaimBeingDeleted(bucket) {
		t.Errorf("the Bucket of a claim in use was released")
	}
	h.must(h.Delete(context.Background(), access))
	h.settles()
	h.must(refresh(context.Background(), h, claim))
	h.finishCleanup(access)
	h.vanishes(access)
	h.vanishes(claim)
}

// TestAnnotationRemovedByHand: the annotation is easily removed; the access that
// was handed off protects the claim all the same.
// KEP: FLOW-DELETE-2.1, ANNO-3
func TestAnnotationRemovedByHand(t *testing.T) {
	h := start(t)
	h.make(class(retain), newAccessClass())
	claim, _ := h.provisioned("data")
	access := h.access("app", "data")
	h.make(access)
	h.handedOff(access)
	h.must(h.Delete(context.Background(), claim))
	h.claimSays(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonDeletionBlocked)
	h.removeAnnotation(claim)
	awaits(h, claim, "is annotated again", protected)
	h.settles()
	h.must(refresh(context.Background(), h, claim))
}

// TestE51ClaimWithoutProvisioning: a claim whose Bucket has no sidecar can be deleted.
func TestE51DeleteClaimOfAnAbsentDriver(t *testing.T) {
	h := start(t)
	h.make(class())
	claim := h.claim("data")
	h.make(claim)
	bucket := h.bucketOf(claim)
	h.must(h.Delete(context.Background(), claim))
	h.vanishes(claim)
	h.vanishes(bucket)
}

// TestPolicyChangesWhileDeleting: the administrator saves the data at the last
// moment.
// KEP: FLOW-DELETE-2.2.5, API-BUCKET-MUT-2
func TestPolicyChangesBeforeDeletion(t *testing.T) {
	h := start(t)
	h.make(class())
	claim, bucket := h.provisioned("data")
	h.setPolicy(bucket, v1alpha2.DeletionPolicyRetain)
	h.must(h.Delete(context.Background(), claim))
	h.vanishes(claim)
	h.must(refresh(context.Background(), h, bucket))
	if !bucket.DeletionTimestamp.IsZero() {
		t.Errorf("Bucket is being deleted although its policy is Retain")
	}
}
