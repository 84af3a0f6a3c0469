package controller_test

import (
	"context"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controller/bucketaccess"
	"github.com/cosi-emu/cosi-emu/internal/controller/claimprotection"
	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
)

// In the tests of this file a person changes objects of which the controller still
// has an older version.

// lateClaim is a cache that still has an older version of one BucketClaim.
type lateClaim struct {
	client.Client
	late *v1alpha2.BucketClaim
}

func (c lateClaim) Get(ctx context.Context, key client.ObjectKey, object client.Object, opts ...client.GetOption) error {
	if claim, ok := object.(*v1alpha2.BucketClaim); ok && key == client.ObjectKeyFromObject(c.late) {
		c.late.DeepCopyInto(claim)
		return nil
	}
	return c.Client.Get(ctx, key, object, opts...)
}

// again replaces the claim by another one of its name, as a person does who deletes
// it by force.
func (h *fixture) again(claim *v1alpha2.BucketClaim) {
	h.t.Helper()
	h.must(h.removeByForce(context.Background(), claim.DeepCopy()))
	other := h.claim(claim.Name)
	other.Spec = claim.Spec
	h.make(other)
}

// TestClaimOfABucketWithoutID: a Bucket that an administrator makes for a claim, and
// that names no existing bucket, would give the claim a new and empty one.
// KEP: REASON-14
func TestClaimOfABucketWithoutID(t *testing.T) {
	h := start(t)
	bucket, claim := h.existingBucket(existingName, "data"), h.claimOfExisting()
	bucket.Spec.ExistingBucketID = ""
	h.make(bucket, claim)
	h.claimSays(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonInvalidSpec)
	message := says(claim.Status.Conditions, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, "").Error()
	if !strings.Contains(message, "existingBucketID") {
		t.Errorf("the condition does not name the field: %s", message)
	}
	h.settles()
	h.must(refresh(context.Background(), h, bucket))
	if claim.Status.BoundBucketName != "" || bucket.Spec.BucketClaimRef.UID != "" {
		t.Errorf("bound: claim %+v, Bucket %+v", claim.Status, bucket.Spec.BucketClaimRef)
	}
	h.must(h.removeByForce(context.Background(), bucket))
	again := h.existingBucket(existingName, "data")
	h.make(again)
	h.report(again, provision)
	h.claimSays(claim, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
}

// TestClaimOfACondemnedBucket: a claim is not ready while its Bucket is being deleted,
// or carries the annotation by which the sidecar stops serving it.
// KEP: STATUS-CLAIM-1
func TestClaimOfACondemnedBucket(t *testing.T) {
	for _, tc := range []struct {
		name    string
		condemn func(*fixture, *v1alpha2.Bucket)
		revoke  func(*fixture, *v1alpha2.Bucket)
	}{
		{"deleting", func(h *fixture, b *v1alpha2.Bucket) { h.must(h.Delete(context.Background(), b)) }, nil},
		{
			"annotated",
			func(h *fixture, b *v1alpha2.Bucket) { h.annotate(b, `""`) },
			func(h *fixture, b *v1alpha2.Bucket) { h.annotate(b, "null") },
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := start(t)
			h.make(class())
			claim, bucket := h.provisioned("data")
			tc.condemn(h, bucket)
			h.claimSays(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketDeleting)
			h.must(says(claim.Status.Conditions, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned))
			if claim.Status.ReadyToUse {
				t.Error("the claim is ready")
			}
			before := h.settles()
			if after := h.settles(); after != before {
				t.Errorf("%d more writes", after-before)
			}
			if tc.revoke == nil {
				return
			}
			tc.revoke(h, bucket)
			h.claimSays(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated)
			if !claim.Status.ReadyToUse {
				t.Error("the claim is not ready again")
			}
		})
	}
}

// annotate sets the annotation of a Bucket whose claim is being deleted, by hand.
func (h *fixture) annotate(bucket *v1alpha2.Bucket, value string) {
	h.t.Helper()
	body := `{"metadata":{"annotations":{"` + v1alpha2.BucketClaimBeingDeletedAnnotation + `":` + value + `}}}`
	h.must(h.Patch(context.Background(), bucket.DeepCopy(), client.RawPatch("application/merge-patch+json", []byte(body))))
}

// TestWaitingAccessDoesNotKeepItsClaim: an access that was never handed off does not
// block the deletion of its claim, with and without its class.
func TestWaitingAccessDoesNotKeepItsClaim(t *testing.T) {
	for _, tc := range []struct {
		name  string
		class bool
	}{{"class exists", true}, {"class is gone", false}} {
		t.Run(tc.name, func(t *testing.T) {
			h := start(t)
			class := newAccessClass()
			h.make(class)
			claim, access := h.claim("data"), h.access("app", "data")
			h.make(claim, access)
			awaits(h, claim, "is held while the access waits", protected)
			if !tc.class {
				h.must(h.Delete(context.Background(), class))
				h.settles()
			}
			h.must(h.Delete(context.Background(), claim))
			h.vanishes(claim)
		})
	}
}

// TestLateAccessOfAnotherClaim: an access is not handed off with the Bucket of a claim
// that was replaced by another one of its name.
func TestLateAccessOfAnotherClaim(t *testing.T) {
	h := start(t)
	h.make(class(retain), newAccessClass())
	claim, _ := h.provisioned("data")
	metav1.SetMetaDataAnnotation(&claim.ObjectMeta, v1alpha2.HasBucketAccessReferencesAnnotation, "")
	h.stopController()
	access := h.access("app", "data")
	h.make(access)
	h.again(claim)
	cache, recorder := lateClaim{h.Client, claim}, events.NewFakeRecorder(10)
	reconciler := &bucketaccess.Reconciler{
		Client: cache, Recorder: recorder, APIErrors: cosievents.NewAPIErrors(recorder), Protector: claimprotection.New(cache, h.Client),
	}
	result, err := reconciler.Runner().ReconcileObject(context.Background(), access.DeepCopy())
	if err != nil || result.IsZero() {
		t.Errorf("reconcile with a claim that was made again: result %+v, error %v; want a quiet retry", result, err)
	}
	h.must(refresh(context.Background(), h, access))
	if access.Status.DriverName != "" {
		t.Errorf("handed off with the Bucket of another claim: %+v", access.Status)
	}
}
