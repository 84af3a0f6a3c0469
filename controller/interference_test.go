package controller_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controller/bucketaccess"
	"github.com/cosi-emu/cosi-emu/internal/controller/bucketclaim"
	"github.com/cosi-emu/cosi-emu/internal/controller/claimprotection"
	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
)

// In the tests of this file a person changes objects of which the controller still
// has an older version.

// lateBucket is a cache that still has an older version of one Bucket.
type lateBucket struct {
	client.Client
	late *v1alpha2.Bucket
}

func (c lateBucket) Get(ctx context.Context, key client.ObjectKey, object client.Object, opts ...client.GetOption) error {
	if bucket, ok := object.(*v1alpha2.Bucket); ok && key.Name == c.late.Name {
		c.late.DeepCopyInto(bucket)
		return nil
	}
	return c.Client.Get(ctx, key, object, opts...)
}

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

// reconcileClaim has a controller with that cache reconcile a claim as the cache has it.
func (h *fixture) reconcileClaim(cache client.Client, claim *v1alpha2.BucketClaim) error {
	h.t.Helper()
	recorder := events.NewFakeRecorder(10)
	reconciler := &bucketclaim.Reconciler{
		Client: cache, Live: h.Client, Recorder: recorder, APIErrors: cosievents.NewAPIErrors(recorder),
		Protector: claimprotection.New(cache, h.Client),
	}
	_, err := reconciler.Runner().ReconcileObject(context.Background(), claim)
	return err
}

// again replaces the claim by another one of its name, as a person does who deletes
// it by force.
func (h *fixture) again(claim *v1alpha2.BucketClaim) *v1alpha2.BucketClaim {
	h.t.Helper()
	h.must(h.removeByForce(context.Background(), claim.DeepCopy()))
	other := h.claim(claim.Name)
	other.Spec = claim.Spec
	h.make(other)
	return other
}

// TestLateBucketOfDeletedClaim: a static Bucket was bound, and the cache does not
// know it. The claim is not released before the Bucket is announced.
func TestLateBucketOfDeletedClaim(t *testing.T) {
	h := prepare(t)
	late, claim := h.existingBucket(existingName, "data"), h.claimOfExisting()
	claim.Finalizers = []string{v1alpha2.ProtectionFinalizer}
	h.make(late, claim)
	bucket := late.DeepCopy()
	bucket.Spec.BucketClaimRef.UID = claim.UID
	h.must(h.Update(context.Background(), bucket))
	h.must(h.Delete(context.Background(), claim))
	h.must(refresh(context.Background(), h, claim))

	h.must(h.reconcileClaim(lateBucket{noAccesses{h.Client}, late}, claim.DeepCopy()))
	h.vanishes(claim)
	h.must(refresh(context.Background(), h, bucket))
	if !v1alpha2.IsBucketClaimBeingDeleted(bucket) {
		t.Errorf("the claim was released, and its Bucket does not know: %+v", bucket.ObjectMeta)
	}
}

// TestReleasedClaimDeletesNothing: a claim was released, its Bucket was retained, and
// then the administrator has changed the policy. The cache still has the claim.
func TestReleasedClaimDeletesNothing(t *testing.T) {
	for _, again := range []bool{false, true} {
		t.Run(fmt.Sprintf("made again: %t", again), func(t *testing.T) {
			h := start(t)
			h.make(class(retain))
			claim, bucket := h.provisioned("data")
			h.stopController()
			h.must(h.Delete(context.Background(), claim))
			late := claimNow(h, claim).DeepCopy()
			h.startController()
			h.vanishes(claim)
			h.stopController()
			h.setPolicy(bucket, v1alpha2.DeletionPolicyDelete)
			if again {
				h.make(h.claim("data"))
			}
			h.must(h.reconcileClaim(lateClaim{noAccesses{h.Client}, late}, late.DeepCopy()))
			h.must(refresh(context.Background(), h, bucket))
			if !bucket.DeletionTimestamp.IsZero() {
				t.Error("the Bucket is being deleted for a claim that is gone")
			}
		})
	}
}

// TestStatusOfAnotherClaim: a claim was deleted by force and made again. The new one
// does not get the status of the old one, whose boundBucketName it could never lose.
func TestStatusOfAnotherClaim(t *testing.T) {
	for _, tc := range []struct {
		name    string
		prepare func(h *fixture, claim *v1alpha2.BucketClaim)
	}{
		{"that waits", func(*fixture, *v1alpha2.BucketClaim) {}},
		{"that is bound", func(h *fixture, claim *v1alpha2.BucketClaim) {
			bucket := &v1alpha2.Bucket{
				ObjectMeta: metav1.ObjectMeta{Name: v1alpha2.BucketNameForClaim(claim.UID)},
				Spec: v1alpha2.BucketSpec{
					DriverName: driver, DeletionPolicy: v1alpha2.DeletionPolicyRetain,
					BucketClaimRef: v1alpha2.BucketClaimReference{Namespace: h.namespace, Name: claim.Name, UID: claim.UID},
				},
			}
			h.make(bucket)
			h.report(bucket, provision)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := prepare(t)
			claim := h.claim("data")
			claim.Finalizers = []string{v1alpha2.ProtectionFinalizer}
			h.make(claim)
			tc.prepare(h, claim)
			other := h.again(claim)
			if err := h.reconcileClaim(lateClaim{h.Client, claim}, claim.DeepCopy()); err != nil {
				t.Errorf("reconcile of a claim that was made again: %v; want a quiet retry", err)
			}
			h.must(refresh(context.Background(), h, other))
			if diff := cmp.Diff(v1alpha2.BucketClaimStatus{}, other.Status); diff != "" {
				t.Errorf("the other claim has a status (-want +got):\n%s", diff)
			}
		})
	}
}

// TestProtectAnotherClaim: a claim that was made again is not annotated for the old
// one, and does not become the one that an access is granted through.
func TestProtectAnotherClaim(t *testing.T) {
	for _, tc := range []struct {
		name      string
		annotated bool
		protect   func(*claimprotection.Protector, *v1alpha2.BucketClaim) error
	}{
		{"protect", false, func(p *claimprotection.Protector, c *v1alpha2.BucketClaim) error {
			return p.Protect(context.Background(), c)
		}},
		{"confirm", true, func(p *claimprotection.Protector, c *v1alpha2.BucketClaim) error {
			return p.ProtectLive(context.Background(), c)
		}},
		{"protect and confirm", false, func(p *claimprotection.Protector, c *v1alpha2.BucketClaim) error {
			return p.ProtectLive(context.Background(), c)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := prepare(t)
			claim := h.claim("data")
			if tc.annotated {
				metav1.SetMetaDataAnnotation(&claim.ObjectMeta, v1alpha2.HasBucketAccessReferencesAnnotation, "")
			}
			h.make(claim)
			other := h.again(claim)
			err := tc.protect(claimprotection.New(h.Client, h.Client), claim.DeepCopy())
			if !apierrors.IsConflict(err) {
				t.Errorf("protection of a claim that was made again returns %v, want a conflict", err)
			}
			h.must(unprotected(claimNow(h, other)))
		})
	}
}

// TestAnotherBucketOfTheName: the Bucket of a claim was removed by force and made
// again, for another claim or for this one. It is neither announced nor bound by what
// was read of the old one.
func TestAnotherBucketOfTheName(t *testing.T) {
	for _, tc := range []struct {
		name     string
		deleting bool
	}{
		{"is not announced", true},
		{"is not bound", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := prepare(t)
			late, claim := h.existingBucket(existingName, "data"), h.claimOfExisting()
			claim.Finalizers = []string{v1alpha2.ProtectionFinalizer}
			h.make(claim)
			if tc.deleting {
				late.Spec.BucketClaimRef.UID = claim.UID
				h.must(h.Delete(context.Background(), claim))
				h.must(refresh(context.Background(), h, claim))
			}
			h.make(late)
			h.must(h.removeByForce(context.Background(), late.DeepCopy()))
			other := h.existingBucket(existingName, "other")
			h.make(other)
			want := other.DeepCopy()
			if err := h.reconcileClaim(lateBucket{noAccesses{h.Client}, late}, claim.DeepCopy()); err != nil {
				t.Errorf("reconcile with a Bucket that was made again: %v; want a quiet retry", err)
			}
			h.must(refresh(context.Background(), h, other))
			if diff := cmp.Diff(want.ResourceVersion, other.ResourceVersion); diff != "" {
				t.Errorf("the other's Bucket was written: %+v", other)
			}
		})
	}
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
