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

// TestBoundBucketIsReplaced: the Bucket of a claim was removed by force, and another Bucket has its
// name. The claim copies nothing from it, reports the loss, and is not deleted as if its bucket were
// gone.
// KEP: FLOW-DELETE-2.2.2, COND-CLAIM-5, REASON-17
func TestBoundBucketIsReplaced(t *testing.T) {
	cl := start(t)
	cl.Make(class())
	claim, bucket := cl.provisioned("data")
	owner := cl.claim("owner")
	owner.Spec.BucketClassName = "missing"
	cl.Make(owner)
	cl.stopController()
	cl.ForceRemove(bucket)
	other := bucket.DeepCopy()
	other.ObjectMeta = metav1.ObjectMeta{Name: bucket.Name}
	other.Spec.BucketClaimRef.Name, other.Spec.BucketClaimRef.UID = owner.Name, owner.UID
	cl.Make(other)
	cl.report(other, provision)
	cl.startController()
	cl.WaitCondition(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBindingConflict)
	cl.WaitCondition(claim, v1alpha2.ConditionProvisioned, metav1.ConditionFalse, v1alpha2.ReasonBindingConflict)

	cl.Must(cl.Delete(context.Background(), claim))
	cl.Settle()
	cl.Must(cl.Refresh(claim))
	cl.Must(cl.Refresh(other))
	if len(claim.Finalizers) == 0 || !other.DeletionTimestamp.IsZero() || len(other.Annotations) > 0 {
		t.Errorf("finalizers of the claim %v, the other's Bucket %+v", claim.Finalizers, other.ObjectMeta)
	}
	cl.ForceRemove(other)
	cl.WaitGone(claim)
}

// TestExistingBucketOfAnotherNamespace: a Bucket is for a claim of one namespace.
// KEP: USE-6
func TestExistingBucketOfAnotherNamespace(t *testing.T) {
	cl := start(t)
	bucket, claim := cl.existingBucket(existingName, "data"), cl.claimOfExisting()
	bucket.Spec.BucketClaimRef.Namespace = "elsewhere"
	cl.Make(bucket, claim)
	cl.report(bucket, provision)
	cl.WaitCondition(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBindingConflict)
	if claim.Status.BoundBucketName != "" || len(claim.Status.Protocols) > 0 {
		t.Errorf("the claim knows of the Bucket: %+v", claim.Status)
	}
}

// TestExistingBucketNeedNotBeProvisioned: a claim is bound to a Bucket that the
// driver has still to find, and waits for it.
// KEP: FLOW-STATIC-4.3, FLOW-STATIC-4.4, FLOW-STATIC-4.7
func TestExistingBucketNeedNotBeProvisioned(t *testing.T) {
	cl := start(t)
	bucket, claim := cl.existingBucket(existingName, "data"), cl.claimOfExisting()
	cl.Make(bucket, claim)
	cl.WaitCondition(claim, v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonWaitingForBucket)
	if claim.Status.BoundBucketName != existingName || claim.Status.ReadyToUse || len(claim.Finalizers) != 1 {
		t.Errorf("finalizers %v, status %+v", claim.Finalizers, claim.Status)
	}
	cl.Settle()
	cl.report(bucket, provision)
	cl.WaitCondition(claim, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
}

// TestClaimDeletionWrites holds the controller to the KEP's order: the annotation,
// by which the sidecar knows that it may go on, then the deletion of the Bucket,
// and the finalizer of the claim. The Bucket remains until the sidecar releases it.
// KEP: OVER-5, FLOW-DELETE-2.2.3, FLOW-DELETE-2.2.4, FLOW-DELETE-2.2.6
func TestClaimDeletionWrites(t *testing.T) {
	cl := start(t)
	cl.Make(class())
	claim, bucket := cl.provisioned("data")
	before := cl.Settle()
	cl.Must(cl.Delete(context.Background(), claim))
	cl.WaitGone(claim)
	cl.Must(cl.Refresh(bucket))
	cl.Must(beingDeleted(bucket))
	ofClaim := "/apis/objectstorage.k8s.io/v1alpha2/namespaces/" + cl.Namespace + "/bucketclaims/data"
	ofBucket := "/apis/objectstorage.k8s.io/v1alpha2/buckets/" + bucket.Name
	want := []string{"PATCH " + ofBucket + " 200", "DELETE " + ofBucket + " 200", "PATCH " + ofClaim + " 200"}
	cl.Settle() // the answer to the last one may come after the claim has gone
	got := slices.DeleteFunc(texts(cl.Requests.Writes()[before:]), func(w string) bool { return strings.Contains(w, "/status ") })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
}
