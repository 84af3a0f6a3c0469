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
	"github.com/cosi-emu/cosi-emu/test/cluster"
)

// TestDeleteClaim: the claim waits for its Bucket, with either policy.
func TestDeleteClaim(t *testing.T) {
	for _, policy := range []v1alpha1.DeletionPolicy{v1alpha1.DeletionPolicyDelete, v1alpha1.DeletionPolicyRetain} {
		t.Run(string(policy), func(t *testing.T) {
			cl := start(t)
			c := class()
			c.DeletionPolicy = policy
			cl.Make(c)
			claim, bucket := cl.provisioned("data")
			cl.Must(cl.DeleteAllOf(context.Background(), &v1alpha1.BucketClass{}))
			cl.Remove(claim)
			cluster.Await(cl.Cluster, bucket, "is being deleted", deleting)
			cl.says(claim, "DeletionBlocked", fmt.Sprintf("Normal: deletion waits for Bucket %q, which is being deleted", bucket.Name))
			cl.Settle()
			cluster.Await(cl.Cluster, claim, "waits and is not ready", unready)
			if bucket.Spec.DeletionPolicy != policy {
				t.Errorf("the sidecar sees policy %s, want %s", bucket.Spec.DeletionPolicy, policy)
			}
			cl.release(bucket)
			cl.WaitGone(claim)
		})
	}
}

// TestE52ClaimWaitsForAccesses: for each of them until it is gone, and woken by it.
func TestE52ClaimWaitsForAccesses(t *testing.T) {
	cl := start(t)
	cl.Make(class())
	claim, bucket := cl.provisioned("data")
	never, going, other := cl.access("never-granted", "data"), cl.access("going", "data"), cl.access("other", "another-claim")
	going.Finalizers = []string{v1alpha1.BucketAccessFinalizer}
	cl.Make(never, going, other)
	cl.Remove(going)
	cl.Remove(claim)
	cl.says(claim, "DeletionBlocked", "Normal: deletion waits for BucketAccess going, never-granted")
	cl.Remove(never)
	cl.Settle()
	cl.Must(cl.Refresh(bucket))
	if deleting(bucket) == nil {
		t.Errorf("the Bucket is being deleted while an access is")
	}
	cl.Must(cl.Get(context.Background(), client.ObjectKeyFromObject(going), going))
	going.Finalizers = nil
	cl.Must(cl.Update(context.Background(), going))
	cluster.Await(cl.Cluster, bucket, "is being deleted", deleting)
	cl.release(bucket)
	cl.WaitGone(claim)
}

// TestAccessMovesToAnotherClaim: the field is not immutable in v1alpha1.
func TestAccessMovesToAnotherClaim(t *testing.T) {
	cl := start(t)
	cl.Make(class())
	claim, bucket := cl.provisioned("data")
	access := cl.access("app", "data")
	cl.Make(access)
	cl.Remove(claim)
	cl.says(claim, "DeletionBlocked", "Normal: deletion waits for BucketAccess app")
	access.Spec.BucketClaimName = "another-claim"
	cl.Must(cl.Update(context.Background(), access))
	cluster.Await(cl.Cluster, bucket, "is being deleted", deleting)
	cl.release(bucket)
	cl.WaitGone(claim)
}

// TestE51ClaimWithoutBucket: such a claim can be deleted.
func TestE51ClaimWithoutBucket(t *testing.T) {
	for _, tc := range []struct {
		name string
		make func(cl *testCluster) *v1alpha1.BucketClaim
	}{
		{"no class", func(cl *testCluster) *v1alpha1.BucketClaim { return cl.claim("data") }},
		{"no existing Bucket", func(cl *testCluster) *v1alpha1.BucketClaim { return cl.claimOfExisting("data") }},
		{"invalid", func(cl *testCluster) *v1alpha1.BucketClaim {
			c := cl.claim("data")
			c.Spec.BucketClassName = ""
			return c
		}},
		{"no driver", func(cl *testCluster) *v1alpha1.BucketClaim {
			cl.Make(class())
			return cl.claim("data")
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cl := start(t)
			claim := tc.make(cl)
			cl.Make(claim)
			cl.Settle()
			cl.Remove(claim)
			cl.WaitGone(claim)
			buckets := &v1alpha1.BucketList{}
			cl.Must(cl.List(context.Background(), buckets))
			if len(buckets.Items) > 0 {
				t.Errorf("Buckets without a claim: %v", buckets.Items)
			}
		})
	}
}

// TestE68DeletingWhenTheControllerStarts: objects that were deleted while no controller ran.
func TestE68DeletingWhenTheControllerStarts(t *testing.T) {
	cl := start(t)
	cl.Make(class())
	claim, bucket := cl.provisioned("data")
	blocked, kept := cl.provisioned("blocked")
	gone, lost := cl.provisioned("gone")
	access := cl.access("app", "blocked")
	cl.Make(access)
	cl.stopController()
	for _, c := range []*v1alpha1.BucketClaim{claim, blocked, gone} {
		cl.Remove(c)
	}
	cl.release(lost)
	cl.Remove(lost)
	cl.WaitGone(lost)
	cl.startController()
	cl.WaitGone(gone)
	cluster.Await(cl.Cluster, bucket, "is being deleted", deleting)
	cl.stopController()
	cl.release(bucket)
	cl.Remove(access)
	cl.WaitGone(bucket)
	cl.startController()
	cl.WaitGone(claim)
	cluster.Await(cl.Cluster, kept, "is being deleted", deleting)
	cl.release(kept)
	cl.WaitGone(blocked)
}

// TestHeldClaim: a claim that another finalizer keeps is released, and is not ready any more.
func TestHeldClaim(t *testing.T) {
	cl := start(t)
	cl.Make(class())
	claim, bucket := cl.provisioned("data")
	cl.release(bucket)
	change(cl, claim, func(c *v1alpha1.BucketClaim) { controllerutil.AddFinalizer(c, "example.com/held") })
	cl.Remove(claim)
	cluster.Await(cl.Cluster, claim, "is released", func(c *v1alpha1.BucketClaim) error {
		if controllerutil.ContainsFinalizer(c, v1alpha1.BucketClaimFinalizer) {
			return fmt.Errorf("finalizers %v", c.Finalizers)
		}
		return unready(c)
	})
	change(cl, claim, func(c *v1alpha1.BucketClaim) { c.Finalizers = nil })
	cl.WaitGone(claim)
}

// TestEditedStatus: the claim names the Bucket of another claim. That Bucket is left alone,
// and the claim's own goes with it.
func TestEditedStatus(t *testing.T) {
	cl := start(t)
	cl.Make(class())
	claim, bucket := cl.provisioned("data")
	_, foreign := cl.provisioned("other")
	report(cl, claim, func(c *v1alpha1.BucketClaim) { c.Status.BucketName = foreign.Name })
	cluster.Await(cl.Cluster, claim, "is not ready", unready)
	cl.Remove(claim)
	cluster.Await(cl.Cluster, bucket, "is being deleted", deleting)
	cl.release(bucket)
	cl.WaitGone(claim)
	untouched(t, cl, foreign)
}

// TestBucketOfAnEarlierController: it put the name of the class in front of the UID, and
// wrote no kind into the reference. Such a Bucket goes with its claim, for either policy.
func TestBucketOfAnEarlierController(t *testing.T) {
	cl := prepare(t)
	claim := cl.claim("data")
	claim.Finalizers = []string{v1alpha1.BucketClaimFinalizer}
	cl.Make(claim)
	bucket := existingBucket()
	bucket.Name, bucket.Spec.ExistingBucketID = className+string(claim.UID), ""
	bucket.Spec.BucketClaim = &corev1.ObjectReference{Namespace: cl.Namespace, Name: "data", UID: claim.UID}
	cl.Make(bucket)
	cl.guard(bucket)
	cl.provision(bucket)
	report(cl, claim, func(c *v1alpha1.BucketClaim) { c.Status.BucketName = bucket.Name })
	cl.startController()
	cluster.Await(cl.Cluster, claim, "is ready", ready)
	cl.Remove(claim)
	cluster.Await(cl.Cluster, bucket, "is being deleted", deleting)
	cl.release(bucket)
	cl.WaitGone(claim)
}

// TestDeletionIsRejected: the claim stays until its Bucket could be deleted.
func TestDeletionIsRejected(t *testing.T) {
	cl := start(t)
	cl.Make(class())
	claim, bucket := cl.provisioned("data")
	cl.Requests.Reject(http.MethodDelete, "/buckets/"+bucket.Name)
	cl.Remove(claim)
	cl.Eventually(func() error {
		events := cl.Events(claim)
		if want := "Warning: delete Bucket " + bucket.Name + ": "; !strings.HasPrefix(events["APIError"], want) {
			return fmt.Errorf("no APIError that begins with %q: %v", want, events)
		}
		return nil
	})
	cl.Must(cl.Refresh(claim))
	cl.Requests.Intercept(nil)
	cluster.Await(cl.Cluster, bucket, "is being deleted", deleting)
	cl.release(bucket)
	cl.WaitGone(claim)
}

// TestStaleCacheLacksAnAccess: the cache has no access of the claim, and the API server does.
// The bucket is not deleted under it.
func TestStaleCacheLacksAnAccess(t *testing.T) {
	cl := prepare(t)
	cl.Make(class())
	claim := cl.claim("data")
	claim.Finalizers = []string{v1alpha1.BucketClaimFinalizer}
	cl.Make(claim, cl.access("app", "data"))
	bucket := existingBucket()
	bucket.Name = v1alpha1.BucketNameForClaim(claim.UID)
	bucket.Spec.BucketClaim = &corev1.ObjectReference{Namespace: cl.Namespace, Name: "data", UID: claim.UID}
	cl.Make(bucket)
	cl.Remove(claim)
	cl.Must(cl.Refresh(claim))
	cl.reconcileStale(noAccesses{cl.Client}, claim)
	untouched(t, cl, bucket)
	cl.Must(cl.Refresh(claim))
}

// TestE09StaleClaim: the cache does not know yet that the claim was bound, and its Bucket has
// been removed by force.
func TestE09StaleClaim(t *testing.T) {
	cl := prepare(t)
	cl.Make(class())
	claim := cl.claim("data")
	claim.Finalizers = []string{v1alpha1.BucketClaimFinalizer}
	cl.Make(claim)
	stale := claim.DeepCopy()
	report(cl, claim, func(c *v1alpha1.BucketClaim) { c.Status.BucketName = v1alpha1.BucketNameForClaim(c.UID) })
	cl.reconcileStale(cl.Client, stale)
	bucket := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Name: claim.Status.BucketName}}
	if err := cl.Refresh(bucket); client.IgnoreNotFound(err) != nil || err == nil {
		t.Errorf("a Bucket was created for a claim that had one: %v", err)
	}
}

// reconcileStale hands a reconciler a claim and a cache that are out of date. It must retry
// without an error.
func (cl *testCluster) reconcileStale(cache client.Client, claim *v1alpha1.BucketClaim) {
	cl.Helper()
	recorder := events.NewFakeRecorder(10)
	reconciler := &bucketclaim.Reconciler{
		Client: cache, Live: cl.Client, Recorder: recorder,
		APIErrors: cosievents.NewAPIErrors(recorder), Failures: cosievents.NewFailures(recorder),
	}
	result, err := reconciler.Runner().ReconcileObject(context.Background(), claim)
	if err != nil || result.IsZero() {
		cl.Errorf("reconcile of a stale claim: result %+v, error %v; want a quiet retry", result, err)
	}
}

// noAccesses is a cache that has no BucketAccess.
type noAccesses struct{ client.Client }

func (noAccesses) List(context.Context, client.ObjectList, ...client.ListOption) error { return nil }
