package controller_test

import (
	"context"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controller/v1alpha2/bucketaccess"
	"github.com/cosi-emu/cosi-emu/internal/controller/v1alpha2/claimprotection"
	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
	"github.com/cosi-emu/cosi-emu/test/cluster"
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
func (cl *testCluster) again(claim *v1alpha2.BucketClaim) {
	cl.Helper()
	cl.ForceRemove(claim.DeepCopy())
	other := cl.claim(claim.Name)
	other.Spec = claim.Spec
	cl.Make(other)
}

// TestClaimOfABucketWithoutID: a Bucket that an administrator makes for a claim, and
// that names no existing bucket, would give the claim a new and empty one.
// KEP: REASON-14
func TestClaimOfABucketWithoutID(t *testing.T) {
	cl := start(t)
	bucket, claim := cl.existingBucket(existingName, "data"), cl.claimOfExisting()
	bucket.Spec.ExistingBucketID = ""
	cl.Make(bucket, claim)
	message := cl.WaitCondition(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonInvalidSpec)
	if !strings.Contains(message, "existingBucketID") {
		t.Errorf("the condition does not name the field: %s", message)
	}
	cl.Settle()
	cl.Must(cl.Refresh(bucket))
	if claim.Status.BoundBucketName != "" || bucket.Spec.BucketClaimRef.UID != "" {
		t.Errorf("bound: claim %+v, Bucket %+v", claim.Status, bucket.Spec.BucketClaimRef)
	}
	cl.ForceRemove(bucket)
	again := cl.existingBucket(existingName, "data")
	cl.Make(again)
	cl.report(again, provision)
	cl.WaitCondition(claim, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
}

// TestClaimOfACondemnedBucket: a claim is not ready while its Bucket is being deleted,
// or carries the annotation by which the sidecar stops serving it.
// KEP: STATUS-CLAIM-1
func TestClaimOfACondemnedBucket(t *testing.T) {
	for _, tc := range []struct {
		name    string
		condemn func(*testCluster, *v1alpha2.Bucket)
		revoke  func(*testCluster, *v1alpha2.Bucket)
	}{
		{"deleting", func(cl *testCluster, b *v1alpha2.Bucket) { cl.Must(cl.Delete(context.Background(), b)) }, nil},
		{
			"annotated",
			func(cl *testCluster, b *v1alpha2.Bucket) { cl.annotate(b, `""`) },
			func(cl *testCluster, b *v1alpha2.Bucket) { cl.annotate(b, "null") },
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cl := start(t)
			cl.Make(class())
			claim, bucket := cl.provisioned("data")
			tc.condemn(cl, bucket)
			cl.WaitCondition(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketDeleting)
			if !meta.IsStatusConditionTrue(claim.Status.Conditions, v1alpha2.ConditionProvisioned) {
				t.Errorf("the Bucket is no longer provisioned: %v", cluster.Lines(claim.Status.Conditions))
			}
			if claim.Status.ReadyToUse {
				t.Error("the claim is ready")
			}
			before := cl.Settle()
			if after := cl.Settle(); after != before {
				t.Errorf("%d more writes", after-before)
			}
			if tc.revoke == nil {
				return
			}
			tc.revoke(cl, bucket)
			cl.WaitCondition(claim, v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated)
			if !claim.Status.ReadyToUse {
				t.Error("the claim is not ready again")
			}
		})
	}
}

// annotate sets the annotation of a Bucket whose claim is being deleted, by hand.
func (cl *testCluster) annotate(bucket *v1alpha2.Bucket, value string) {
	cl.Helper()
	body := `{"metadata":{"annotations":{"` + v1alpha2.BucketClaimBeingDeletedAnnotation + `":` + value + `}}}`
	cl.Must(cl.Patch(context.Background(), bucket.DeepCopy(), client.RawPatch("application/merge-patch+json", []byte(body))))
}

// TestWaitingAccessDoesNotKeepItsClaim: an access that was never handed off does not
// block the deletion of its claim, with and without its class.
func TestWaitingAccessDoesNotKeepItsClaim(t *testing.T) {
	for _, tc := range []struct {
		name  string
		class bool
	}{{"class exists", true}, {"class is gone", false}} {
		t.Run(tc.name, func(t *testing.T) {
			cl := start(t)
			class := newAccessClass()
			cl.Make(class)
			claim, access := cl.claim("data"), cl.access("app", "data")
			cl.Make(claim, access)
			cluster.Await(cl.Cluster, claim, "is held while the access waits", protected)
			if !tc.class {
				cl.Must(cl.Delete(context.Background(), class))
				cl.Settle()
			}
			cl.Must(cl.Delete(context.Background(), claim))
			cl.WaitGone(claim)
		})
	}
}

// TestLateAccessOfAnotherClaim: an access is not handed off with the Bucket of a claim
// that was replaced by another one of its name.
func TestLateAccessOfAnotherClaim(t *testing.T) {
	cl := start(t)
	cl.Make(class(retain), newAccessClass())
	claim, _ := cl.provisioned("data")
	metav1.SetMetaDataAnnotation(&claim.ObjectMeta, v1alpha2.HasBucketAccessReferencesAnnotation, "")
	cl.stopController()
	access := cl.access("app", "data")
	cl.Make(access)
	cl.again(claim)
	cache, recorder := lateClaim{cl.Client, claim}, events.NewFakeRecorder(10)
	reconciler := &bucketaccess.Reconciler{
		Client: cache, Live: cl.Client, Recorder: recorder, APIErrors: cosievents.NewAPIErrors(recorder),
		Protector: claimprotection.New(cache, cl.Client),
	}
	result, err := reconciler.Runner().ReconcileObject(context.Background(), access.DeepCopy())
	if err != nil || result.IsZero() {
		t.Errorf("reconcile with a claim that was made again: result %+v, error %v; want a quiet retry", result, err)
	}
	cl.Must(cl.Refresh(access))
	if access.Status.DriverName != "" {
		t.Errorf("handed off with the Bucket of another claim: %+v", access.Status)
	}
}
