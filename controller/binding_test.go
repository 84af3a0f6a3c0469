package controller_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// TestBoundBucketIsReplaced: the Bucket of a claim has been removed by force, and
// another one has its name. The claim takes nothing from it, says what has
// happened, and does not go as if nothing were left.
// KEP: FLOW-DELETE-2.2.2, COND-CLAIM-5, REASON-17
func TestBoundBucketIsReplaced(t *testing.T) {
	h := start(t)
	h.make(class())
	claim, bucket := h.provisioned("data")
	owner := h.claim("owner")
	owner.Spec.BucketClassName = "missing"
	h.make(owner)
	h.stopController()
	h.must(h.removeByForce(context.Background(), bucket))
	other := bucket.DeepCopy()
	other.ObjectMeta = metav1.ObjectMeta{Name: bucket.Name}
	other.Spec.BucketClaimRef.Name, other.Spec.BucketClaimRef.UID = owner.Name, owner.UID
	h.make(other)
	h.report(other, provision)
	h.startController()
	h.claimSays(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBindingConflict)
	h.claimSays(claim, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonBindingConflict)

	h.must(h.Delete(context.Background(), claim))
	h.settles()
	h.must(refresh(context.Background(), h, claim))
	h.must(refresh(context.Background(), h, other))
	if len(claim.Finalizers) == 0 || !other.DeletionTimestamp.IsZero() || len(other.Annotations) > 0 {
		t.Errorf("finalizers of the claim %v, the other's Bucket %+v", claim.Finalizers, other.ObjectMeta)
	}
	h.must(h.removeByForce(context.Background(), other))
	h.vanishes(claim)
}

// TestExistingBucketOfAnotherNamespace: a Bucket is for a claim of one namespace.
// KEP: USE-6
func TestExistingBucketOfAnotherNamespace(t *testing.T) {
	h := start(t)
	bucket, claim := h.existingBucket(existingName, "data"), h.claimOfExisting()
	bucket.Spec.BucketClaimRef.Namespace = "elsewhere"
	h.make(bucket, claim)
	h.report(bucket, provision)
	h.claimSays(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBindingConflict)
	if claim.Status.BoundBucketName != "" || len(claim.Status.Protocols) > 0 {
		t.Errorf("the claim knows of the Bucket: %+v", claim.Status)
	}
}

// TestExistingBucketNeedNotBeProvisioned: a claim is bound to a Bucket that the
// driver has still to find, and waits for it.
// KEP: FLOW-STATIC-4.3, FLOW-STATIC-4.4, FLOW-STATIC-4.7
func TestExistingBucketNeedNotBeProvisioned(t *testing.T) {
	h := start(t)
	bucket, claim := h.existingBucket(existingName, "data"), h.claimOfExisting()
	h.make(bucket, claim)
	h.claimSays(claim, v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonWaitingForBucket)
	if claim.Status.BoundBucketName != existingName || claim.Status.ReadyToUse || len(claim.Finalizers) != 1 {
		t.Errorf("finalizers %v, status %+v", claim.Finalizers, claim.Status)
	}
	h.settles()
	h.report(bucket, provision)
	h.claimSays(claim, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
}

// TestClaimDeletionWrites holds the controller to the KEP's order: the annotation,
// by which the sidecar knows that it may go on, then the deletion of the Bucket,
// and the finalizer of the claim. The Bucket remains until the sidecar releases it.
// KEP: OVER-5, FLOW-DELETE-2.2.3, FLOW-DELETE-2.2.4, FLOW-DELETE-2.2.6
func TestClaimDeletionWrites(t *testing.T) {
	h := start(t)
	h.make(class())
	claim, bucket := h.provisioned("data")
	before := h.settles()
	h.must(h.Delete(context.Background(), claim))
	h.vanishes(claim)
	h.must(refresh(context.Background(), h, bucket))
	h.must(beingDeleted(bucket))
	ofClaim := "/apis/objectstorage.k8s.io/v1alpha2/namespaces/" + h.namespace + "/bucketclaims/data"
	ofBucket := "/apis/objectstorage.k8s.io/v1alpha2/buckets/" + bucket.Name
	want := []string{"PATCH " + ofBucket + " 200", "DELETE " + ofBucket + " 200", "PATCH " + ofClaim + " 200"}
	h.settles() // the answer to the last one may come after the claim has gone
	got := slices.DeleteFunc(texts(h.requests.Writes()[before:]), func(w string) bool { return strings.Contains(w, "/status ") })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
}
