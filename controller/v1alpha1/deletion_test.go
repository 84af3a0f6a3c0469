package v1alpha1_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/internal/controller/v1alpha1/bucketclaim"
	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
	"github.com/cosi-emu/cosi-emu/test/controllertest"
)

// TestDeleteClaim: the claim waits for its Bucket, with either policy.
func TestDeleteClaim(t *testing.T) {
	for _, policy := range []v1alpha1.DeletionPolicy{v1alpha1.DeletionPolicyDelete, v1alpha1.DeletionPolicyRetain} {
		t.Run(string(policy), func(t *testing.T) {
			h := start(t)
			c := class()
			c.DeletionPolicy = policy
			h.make(c)
			claim, bucket := h.provisioned("data")
			h.must(h.DeleteAllOf(context.Background(), &v1alpha1.BucketClass{}))
			h.delete(claim)
			awaits(h, bucket, "is being deleted", deleting)
			h.says(claim, "DeletionBlocked", fmt.Sprintf("Normal: deletion waits for Bucket %q, which is being deleted", bucket.Name))
			h.settles()
			awaits(h, claim, "waits and is not ready", unready)
			if bucket.Spec.DeletionPolicy != policy {
				t.Errorf("the sidecar sees policy %s, want %s", bucket.Spec.DeletionPolicy, policy)
			}
			h.release(bucket)
			h.vanishes(claim)
		})
	}
}

// TestE52ClaimWaitsForAccesses: for each of them until it is gone, and woken by it.
func TestE52ClaimWaitsForAccesses(t *testing.T) {
	h := start(t)
	h.make(class())
	claim, bucket := h.provisioned("data")
	never, going, other := h.access("never-granted", "data"), h.access("going", "data"), h.access("other", "another-claim")
	going.Finalizers = []string{v1alpha1.BucketAccessFinalizer}
	h.make(never, going, other)
	h.delete(going)
	h.delete(claim)
	h.says(claim, "DeletionBlocked", "Normal: deletion waits for BucketAccess going, never-granted")
	h.delete(never)
	h.settles()
	h.must(refresh(context.Background(), h, bucket))
	if deleting(bucket) == nil {
		t.Errorf("the Bucket is being deleted while an access is")
	}
	h.must(h.Get(context.Background(), client.ObjectKeyFromObject(going), going))
	going.Finalizers = nil
	h.must(h.Update(context.Background(), going))
	awaits(h, bucket, "is being deleted", deleting)
	h.release(bucket)
	h.vanishes(claim)
}

// TestAccessMovesToAnotherClaim: the field is not immutable in v1alpha1.
func TestAccessMovesToAnotherClaim(t *testing.T) {
	h := start(t)
	h.make(class())
	claim, bucket := h.provisioned("data")
	access := h.access("app", "data")
	h.make(access)
	h.delete(claim)
	h.says(claim, "DeletionBlocked", "Normal: deletion waits for BucketAccess app")
	access.Spec.BucketClaimName = "another-claim"
	h.must(h.Update(context.Background(), access))
	awaits(h, bucket, "is being deleted", deleting)
	h.release(bucket)
	h.vanishes(claim)
}

// TestE51ClaimWithoutBucket: such a claim can be deleted.
func TestE51ClaimWithoutBucket(t *testing.T) {
	for _, tc := range []struct {
		name string
		make func(h *fixture) *v1alpha1.BucketClaim
	}{
		{"no class", func(h *fixture) *v1alpha1.BucketClaim { return h.claim("data") }},
		{"no existing Bucket", func(h *fixture) *v1alpha1.BucketClaim { return h.claimOfExisting("data") }},
		{"invalid", func(h *fixture) *v1alpha1.BucketClaim {
			c := h.claim("data")
			c.Spec.BucketClassName = ""
			return c
		}},
		{"no driver", func(h *fixture) *v1alpha1.BucketClaim {
			h.make(class())
			return h.claim("data")
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := start(t)
			claim := tc.make(h)
			h.make(claim)
			h.settles()
			h.delete(claim)
			h.vanishes(claim)
			buckets := &v1alpha1.BucketList{}
			h.must(h.List(context.Background(), buckets))
			if len(buckets.Items) > 0 {
				t.Errorf("Buckets without a claim: %v", buckets.Items)
			}
		})
	}
}

// TestE68DeletingWhenTheControllerStarts: objects that were deleted while no controller ran.
func TestE68DeletingWhenTheControllerStarts(t *testing.T) {
	h := start(t)
	h.make(class())
	claim, bucket := h.provisioned("data")
	blocked, kept := h.provisioned("blocked")
	gone, lost := h.provisioned("gone")
	access := h.access("app", "blocked")
	h.make(access)
	h.stopController()
	for _, c := range []*v1alpha1.BucketClaim{claim, blocked, gone} {
		h.delete(c)
	}
	h.release(lost)
	h.delete(lost)
	h.vanishes(lost)
	h.startController()
	h.vanishes(gone)
	awaits(h, bucket, "is being deleted", deleting)
	h.stopController()
	h.release(bucket)
	h.delete(access)
	h.vanishes(bucket)
	h.startController()
	h.vanishes(claim)
	awaits(h, kept, "is being deleted", deleting)
	h.release(kept)
	h.vanishes(blocked)
}

// TestHeldClaim: a claim that another finalizer keeps is released, and is not ready any more.
func TestHeldClaim(t *testing.T) {
	h := start(t)
	h.make(class())
	claim, bucket := h.provisioned("data")
	h.release(bucket)
	change(h, claim, func(c *v1alpha1.BucketClaim) { controllerutil.AddFinalizer(c, "example.com/held") })
	h.delete(claim)
	awaits(h, claim, "is released", func(c *v1alpha1.BucketClaim) error {
		if controllerutil.ContainsFinalizer(c, v1alpha1.BucketClaimFinalizer) {
			return fmt.Errorf("finalizers %v", c.Finalizers)
		}
		return unready(c)
	})
	change(h, claim, func(c *v1alpha1.BucketClaim) { c.Finalizers = nil })
	h.vanishes(claim)
}

// TestEditedStatus: the claim names the Bucket of another claim. That Bucket is left alone,
// and the claim's own goes with it.
func TestEditedStatus(t *testing.T) {
	h := start(t)
	h.make(class())
	claim, bucket := h.provisioned("data")
	_, foreign := h.provisioned("other")
	report(h, claim, func(c *v1alpha1.BucketClaim) { c.Status.BucketName = foreign.Name })
	awaits(h, claim, "is not ready", unready)
	h.delete(claim)
	awaits(h, bucket, "is being deleted", deleting)
	h.release(bucket)
	h.vanishes(claim)
	untouched(t, h, foreign)
}

// TestBucketOfAnEarlierController: it put the name of the class in front of the UID, and
// wrote no kind into the reference. Such a Bucket goes with its claim, for either policy.
func TestBucketOfAnEarlierController(t *testing.T) {
	h := prepare(t)
	claim := h.claim("data")
	claim.Finalizers = []string{v1alpha1.BucketClaimFinalizer}
	h.make(claim)
	bucket := existingBucket()
	bucket.Name, bucket.Spec.ExistingBucketID = className+string(claim.UID), ""
	bucket.Spec.BucketClaim = &corev1.ObjectReference{Namespace: h.namespace, Name: "data", UID: claim.UID}
	h.make(bucket)
	h.guard(bucket)
	h.provision(bucket)
	report(h, claim, func(c *v1alpha1.BucketClaim) { c.Status.BucketName = bucket.Name })
	h.startController()
	awaits(h, claim, "is ready", ready)
	h.delete(claim)
	awaits(h, bucket, "is being deleted", deleting)
	h.release(bucket)
	h.vanishes(claim)
}

// TestDeletionIsRejected: the claim stays until its Bucket could be deleted.
func TestDeletionIsRejected(t *testing.T) {
	h := start(t)
	h.make(class())
	claim, bucket := h.provisioned("data")
	h.requests.Reject(http.MethodDelete, "/buckets/"+bucket.Name)
	h.delete(claim)
	h.eventually("the Event", func(ctx context.Context) error {
		events := controllertest.Events(ctx, t, h.Client, claim)
		if want := "Warning: delete Bucket " + bucket.Name + ": "; !strings.HasPrefix(events["APIError"], want) {
			return fmt.Errorf("no APIError that begins with %q: %v", want, events)
		}
		return nil
	})
	h.must(refresh(context.Background(), h, claim))
	h.requests.Intercept(nil)
	awaits(h, bucket, "is being deleted", deleting)
	h.release(bucket)
	h.vanishes(claim)
}

// TestStaleCacheLacksAnAccess: the cache has no access of the claim, and the API server does.
// The bucket is not deleted under it.
func TestStaleCacheLacksAnAccess(t *testing.T) {
	h := prepare(t)
	h.make(class())
	claim := h.claim("data")
	claim.Finalizers = []string{v1alpha1.BucketClaimFinalizer}
	h.make(claim, h.access("app", "data"))
	bucket := existingBucket()
	bucket.Name = v1alpha1.BucketNameForClaim(claim.UID)
	bucket.Spec.BucketClaim = &corev1.ObjectReference{Namespace: h.namespace, Name: "data", UID: claim.UID}
	h.make(bucket)
	h.delete(claim)
	h.must(refresh(context.Background(), h, claim))
	h.reconcileStale(noAccesses{h.Client}, claim)
	untouched(t, h, bucket)
	h.must(refresh(context.Background(), h, claim))
}

// TestE09StaleClaim: the cache does not know yet that the claim was bound, and its Bucket has
// been removed by force.
func TestE09StaleClaim(t *testing.T) {
	h := prepare(t)
	h.make(class())
	claim := h.claim("data")
	claim.Finalizers = []string{v1alpha1.BucketClaimFinalizer}
	h.make(claim)
	stale := claim.DeepCopy()
	report(h, claim, func(c *v1alpha1.BucketClaim) { c.Status.BucketName = v1alpha1.BucketNameForClaim(c.UID) })
	h.reconcileStale(h.Client, stale)
	bucket := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Name: claim.Status.BucketName}}
	if err := refresh(context.Background(), h, bucket); client.IgnoreNotFound(err) != nil || err == nil {
		t.Errorf("a Bucket was created for a claim that had one: %v", err)
	}
}

// reconcileStale hands a reconciler a claim and a cache that are out of date. It must retry
// without an error.
func (h *fixture) reconcileStale(cache client.Client, claim *v1alpha1.BucketClaim) {
	h.t.Helper()
	recorder := events.NewFakeRecorder(10)
	reconciler := &bucketclaim.Reconciler{
		Client: cache, Live: h.Client, Recorder: recorder,
		APIErrors: cosievents.NewAPIErrors(recorder), Failures: cosievents.NewFailures(recorder),
	}
	result, err := reconciler.Runner().ReconcileObject(context.Background(), claim)
	if err != nil || result.IsZero() {
		h.t.Errorf("reconcile of a stale claim: result %+v, error %v; want a quiet retry", result, err)
	}
}

// noAccesses is a cache that has no BucketAccess.
type noAccesses struct{ client.Client }

func (noAccesses) List(context.Context, client.ObjectList, ...client.ListOption) error { return nil }
