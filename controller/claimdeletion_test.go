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
	"github.com/cosi-emu/cosi-emu/test/cluster"
)

// KEP: FLOW-DELETE-2.2.6, ANNO-1, REASON-19
func TestDeleteClaimAndBucket(t *testing.T) {
	cl := start(t)
	cl.Make(class())
	claim, bucket := cl.provisioned("data")
	cl.Must(cl.Delete(context.Background(), claim))
	cl.WaitGone(claim)
	cl.Must(cl.Refresh(bucket))
	cl.Must(beingDeleted(bucket))
	before := cl.Settle()
	cl.report(bucket, func(s *v1alpha2.BucketStatus) {
		conditions(s, metav1.ConditionTrue, metav1.ConditionTrue, metav1.ConditionTrue, v1alpha2.ReasonDriverError)
	})
	cl.Settle()
	for _, write := range cl.Requests.Writes()[before:] {
		if !strings.HasSuffix(write.Path, "/events") {
			t.Errorf("a write for a Bucket that only the sidecar has to do with: %s", write)
		}
	}
	cl.releaseBucket(bucket)
	cl.WaitGone(bucket)
}

func beingDeleted(b *v1alpha2.Bucket) error {
	if b.DeletionTimestamp.IsZero() || !v1alpha2.IsBucketClaimBeingDeleted(b) {
		return fmt.Errorf("not deleting or not annotated: %+v", b.ObjectMeta)
	}
	return nil
}

// KEP: OVER-7, FLOW-DELETE-0.2, FLOW-DELETE-2.2.3, FLOW-DELETE-2.2.5, ANNO-2
func TestDeleteClaimAndRetainBucket(t *testing.T) {
	cl := start(t)
	cl.Make(class(retain))
	claim, bucket := cl.provisioned("data")
	cl.Must(cl.Delete(context.Background(), claim))
	cl.WaitGone(claim)
	cl.Must(cl.Refresh(bucket))
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
	cl := start(t)
	cl.Make(class())
	claim, bucket := cl.provisioned("data")
	cl.setFinalizers(claim, "example.com/held", v1alpha2.ProtectionFinalizer)
	cl.Must(cl.Delete(context.Background(), claim))
	cluster.Await(cl.Cluster, claim, "is released", func(c *v1alpha2.BucketClaim) error {
		if len(c.Finalizers) > 1 || c.Status.ReadyToUse {
			return fmt.Errorf("finalizers %v, ready to use: %t", c.Finalizers, c.Status.ReadyToUse)
		}
		return nil
	})
	cluster.Await(cl.Cluster, bucket, "may go", beingDeleted)
	cl.setFinalizers(claim)
	cl.WaitGone(claim)
}

func (cl *testCluster) setFinalizers(claim *v1alpha2.BucketClaim, finalizers ...string) {
	cl.Helper()
	before := claim.DeepCopy()
	claim.Finalizers = finalizers
	cl.Must(cl.Patch(context.Background(), claim, client.MergeFrom(before)))
}

// KEP: FLOW-DELETE-2.2.1
func TestDeleteClaimThatNeverGotABucket(t *testing.T) {
	cl := start(t)
	claim := cl.claim("data")
	cl.Make(claim)
	cl.WaitCondition(claim, v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonBucketClassNotFound)
	cl.Must(cl.Delete(context.Background(), claim))
	cl.WaitGone(claim)
}

// TestDeleteBucketThenClaim: the administrator deletes the Bucket, which waits
// for the claim to go.
// KEP: FLOW-DELETE-0.3
func TestE15DeleteBucketThenClaim(t *testing.T) {
	cl := start(t)
	cl.Make(class())
	claim, bucket := cl.provisioned("data")
	cl.Must(cl.Delete(context.Background(), bucket))
	cl.WaitCondition(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketDeleting)
	cl.WaitCondition(claim, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
	cl.Must(cl.Delete(context.Background(), claim))
	cl.WaitGone(claim)
	cluster.Await(cl.Cluster, bucket, "may go", beingDeleted)
	cl.releaseBucket(bucket)
	cl.WaitGone(bucket)
}

// TestE68DeleteWhileControllerIsDown: an object that was deleted while the controller was down is
// not treated as new.
func TestE68DeleteWhileControllerIsDown(t *testing.T) {
	cl := start(t)
	cl.Make(class())
	claim, bucket := cl.provisioned("data")
	cl.stopController()
	cl.Must(cl.Delete(context.Background(), claim))
	cl.startController()
	cl.WaitGone(claim)
	cluster.Await(cl.Cluster, bucket, "may go", beingDeleted)
}

// TestE21DeletionIsBlocked and, for E25, that the removal of the annotation,
// which changes metadata only, wakes the claim.
// KEP: FLOW-DELETE-0.4, FLOW-DELETE-2.1, FLOW-GRANT-3.5, REASON-28
func TestE21E25DeletionIsBlockedAndWoken(t *testing.T) {
	cl := start(t)
	cl.Make(class(retain), newAccessClass())
	claim, bucket := cl.provisioned("data")
	access := cl.access("app", "data")
	cl.Make(access)
	cl.handedOff(access)
	cl.Must(cl.Delete(context.Background(), claim))
	cl.WaitCondition(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonDeletionBlocked)
	blocked := meta.FindStatusCondition(claim.Status.Conditions, v1alpha2.ConditionResourcesValidated)
	if !strings.Contains(blocked.Message, "BucketAccess app") {
		t.Errorf("message does not name the access: %q", blocked.Message)
	}
	if claim.Status.ReadyToUse {
		t.Errorf("a claim that is being deleted is ready")
	}
	cl.Eventually(func() error {
		want := "Normal: deletion waits for BucketAccess app"
		if got := cl.Events(claim)[v1alpha2.ReasonDeletionBlocked]; got != want {
			return fmt.Errorf("%q, want %q", got, want)
		}
		return nil
	})
	cl.Must(cl.Refresh(bucket))
	if v1alpha2.IsBucketClaimBeingDeleted(bucket) {
		t.Errorf("the Bucket of a claim in use was released")
	}
	cl.Must(cl.Delete(context.Background(), access))
	cl.Settle()
	cl.Must(cl.Refresh(claim))
	cl.finishCleanup(access)
	cl.WaitGone(access)
	cl.WaitGone(claim)
}

// TestAnnotationRemovedByHand: the annotation is easily removed; the access that
// was handed off protects the claim all the same.
// KEP: FLOW-DELETE-2.1, ANNO-3
func TestAnnotationRemovedByHand(t *testing.T) {
	cl := start(t)
	cl.Make(class(retain), newAccessClass())
	claim, _ := cl.provisioned("data")
	access := cl.access("app", "data")
	cl.Make(access)
	cl.handedOff(access)
	cl.Must(cl.Delete(context.Background(), claim))
	cl.WaitCondition(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonDeletionBlocked)
	cl.removeAnnotation(claim)
	cluster.Await(cl.Cluster, claim, "is annotated again", protected)
	cl.Settle()
	cl.Must(cl.Refresh(claim))
}

// TestE51ClaimWithoutProvisioning: a claim whose Bucket has no sidecar can be deleted.
func TestE51DeleteClaimOfAnAbsentDriver(t *testing.T) {
	cl := start(t)
	cl.Make(class())
	claim := cl.claim("data")
	cl.Make(claim)
	bucket := cl.bucketOf(claim)
	cl.Must(cl.Delete(context.Background(), claim))
	cl.WaitGone(claim)
	cl.WaitGone(bucket)
}

// TestPolicyChangesWhileDeleting: the administrator saves the data at the last
// moment.
// KEP: FLOW-DELETE-2.2.5, API-BUCKET-MUT-2
func TestPolicyChangesBeforeDeletion(t *testing.T) {
	cl := start(t)
	cl.Make(class())
	claim, bucket := cl.provisioned("data")
	cl.setPolicy(bucket, v1alpha2.DeletionPolicyRetain)
	cl.Must(cl.Delete(context.Background(), claim))
	cl.WaitGone(claim)
	cl.Must(cl.Refresh(bucket))
	if !bucket.DeletionTimestamp.IsZero() {
		t.Errorf("Bucket is being deleted although its policy is Retain")
	}
}
