package controller_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/cluster"
)

func announced(b *v1alpha2.Bucket) error {
	if !v1alpha2.IsBucketClaimBeingDeleted(b) {
		return fmt.Errorf("not annotated: %+v", b.ObjectMeta)
	}
	return nil
}

func unannounced(b *v1alpha2.Bucket) error {
	if v1alpha2.IsBucketClaimBeingDeleted(b) {
		return fmt.Errorf("annotated: %+v", b.ObjectMeta)
	}
	return nil
}

// TestBucketOfAVanishedClaim: a claim has gone without its finalizer. Its Bucket is
// announced, so that an administrator can delete it, and is not deleted by itself.
func TestBucketOfAVanishedClaim(t *testing.T) {
	for _, tc := range []struct {
		name   string
		live   bool
		class  *v1alpha2.BucketClass
		vanish func(cl *testCluster, claim *v1alpha2.BucketClaim)
	}{
		{"removed by force", true, class(retain), func(cl *testCluster, claim *v1alpha2.BucketClaim) {
			cl.ForceRemove(claim)
		}},
		{"made again under its name", true, class(retain), func(cl *testCluster, claim *v1alpha2.BucketClaim) { cl.again(claim) }},
		{"while the controller is down", false, class(), func(cl *testCluster, claim *v1alpha2.BucketClaim) {
			cl.stopController()
			cl.ForceRemove(claim)
			cl.startController()
		}},
		{"made again while the controller is down", false, class(), func(cl *testCluster, claim *v1alpha2.BucketClaim) {
			cl.stopController()
			cl.again(claim)
			cl.startController()
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cl := start(t)
			cl.Make(tc.class)
			claim, bucket := cl.provisioned("data")
			tc.vanish(cl, claim.DeepCopy())
			cluster.Await(cl.Cluster, bucket, "is announced", announced)
			before := cl.Settle()
			if after := cl.Settle(); after != before {
				t.Errorf("%d more writes", after-before)
			}
			cl.Must(cl.Refresh(bucket))
			if !bucket.DeletionTimestamp.IsZero() {
				t.Errorf("a Bucket that no claim has asked to delete is being deleted")
			}
			if tc.live { // the controller may have seen the deletion before the finalizer was stripped
				return
			}
			cl.Eventually(func() error {
				want := fmt.Sprintf("BucketClaim %s/data with UID %s does not exist any more", cl.Namespace, claim.UID)
				if got := cl.Events(bucket)[v1alpha2.ReasonBucketClaimNotFound]; !strings.Contains(got, want) {
					return fmt.Errorf("%q, want %q in it", got, want)
				}
				return nil
			})
		})
	}
}

// TestStaticBucketOfAVanishedClaim: the name of such a Bucket does not follow from
// the UID of its claim.
func TestStaticBucketOfAVanishedClaim(t *testing.T) {
	cl := start(t)
	bucket, claim := cl.existingBucket(existingName, "data"), cl.claimOfExisting()
	cl.Make(bucket, claim)
	cluster.Await(cl.Cluster, bucket, "is bound", func(b *v1alpha2.Bucket) error {
		if b.Spec.BucketClaimRef.UID == "" {
			return fmt.Errorf("not bound: %+v", b.Spec)
		}
		return nil
	})
	cl.again(claim)
	cluster.Await(cl.Cluster, bucket, "is announced", announced)
}

// TestVanishedClaimInUse: the application keeps its bucket until its access is gone.
func TestVanishedClaimInUse(t *testing.T) {
	cl := start(t)
	cl.Make(class(), newAccessClass())
	claim, bucket := cl.provisioned("data")
	access := cl.access("app", "data")
	cl.Make(access)
	cl.handedOff(access)
	cl.reportAccess(access)
	cl.ForceRemove(claim)
	cl.Settle()
	cl.Must(cl.Refresh(bucket))
	cl.Must(unannounced(bucket))
	cl.Must(cl.Delete(context.Background(), access))
	cl.Settle()
	cl.Must(cl.Refresh(bucket))
	cl.Must(unannounced(bucket))
	cl.finishCleanup(access)
	cl.WaitGone(access)
	cluster.Await(cl.Cluster, bucket, "is announced", announced)
}

// TestBucketWithAnUnknownUID: an administrator has made it for a claim that never was.
func TestBucketWithAnUnknownUID(t *testing.T) {
	cl := start(t)
	bucket := cl.existingBucket(existingName, "data")
	bucket.Spec.BucketClaimRef.UID = types.UID("01234567-89ab-cdef-0123-456789abcdef")
	free := cl.existingBucket("free", "data")
	cl.Make(bucket, free)
	cluster.Await(cl.Cluster, bucket, "is announced", announced)
	cl.Settle()
	cl.Must(cl.Refresh(free))
	cl.Must(unannounced(free))
	for _, b := range []client.Object{bucket, free} {
		cl.Must(cl.Delete(context.Background(), b))
	}
}
