package v1alpha1_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/test/cluster"
)

// TestE57ExistingBucketInEitherOrder: elsewhere a claim that came first was ready without a
// Bucket. Nothing but the reference of the Bucket changes.
func TestE57ExistingBucketInEitherOrder(t *testing.T) {
	for _, bucketFirst := range []bool{true, false} {
		t.Run(fmt.Sprintf("bucketFirst=%t", bucketFirst), func(t *testing.T) {
			cl := start(t)
			bucket, claim := existingBucket(), cl.claimOfExisting("data")
			if bucketFirst {
				cl.Make(bucket)
				cl.provision(bucket)
				cl.Make(claim)
			} else {
				cl.Make(claim)
				cl.says(claim, "BucketNotFound", `Normal: waiting for Bucket "brown", which does not exist`)
				cl.Settle()
				cl.Must(cl.Refresh(claim))
				cl.Must(unready(claim))
				cl.Make(bucket)
				cl.newBucketOf(claim)
				cl.provision(bucket)
			}
			cluster.Await(cl.Cluster, claim, "is ready", ready)
			want := existingBucket().Spec
			want.BucketClaim = &corev1.ObjectReference{
				Kind: "BucketClaim", APIVersion: "objectstorage.k8s.io/v1alpha1", Namespace: cl.Namespace, Name: "data", UID: claim.UID,
			}
			if diff := cmp.Diff(want, cl.newBucketOf(claim).Spec); diff != "" {
				t.Errorf("spec of the Bucket (-want +got):\n%s", diff)
			}
		})
	}
}

// TestReference: which reference an administrator may give a Bucket.
func TestReference(t *testing.T) {
	for _, tc := range []struct {
		name      string
		namespace func(own string) string
		claim     string
		binds     bool
	}{
		{"this claim without UID", func(own string) string { return own }, "data", true},
		{"another claim without UID", func(own string) string { return own }, "other", false},
		{"this name in another namespace", func(string) string { return "other" }, "data", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cl := start(t)
			bucket, claim := existingBucket(), cl.claimOfExisting("data")
			bucket.Spec.BucketClaim = &corev1.ObjectReference{Namespace: tc.namespace(cl.Namespace), Name: tc.claim}
			cl.Make(bucket)
			cl.provision(bucket)
			cl.Make(claim)
			if tc.binds {
				cluster.Await(cl.Cluster, claim, "is ready", ready)
				return
			}
			cl.says(claim, "FailedCreateBucket", fmt.Sprintf("Warning: BindingConflict: Bucket %q belongs to BucketClaim %s/%s: "+
				"claim another Bucket, or delete that BucketClaim", existingName, tc.namespace(cl.Namespace), tc.claim))
			cl.Remove(claim)
			cl.WaitGone(claim)
			untouched(t, cl, bucket)
		})
	}
}

// TestE50SecondClaim: a Bucket has one claim. The second claim overwrites nothing, can be
// deleted, and gets the Bucket once the first is gone.
func TestE50SecondClaim(t *testing.T) {
	cl := start(t)
	bucket, first, second, third := existingBucket(), cl.claimOfExisting("first"), cl.claimOfExisting("second"), cl.claimOfExisting("third")
	cl.Make(bucket, first)
	cl.provision(bucket)
	cluster.Await(cl.Cluster, first, "is ready", ready)
	cl.Must(cl.Refresh(bucket))
	cl.Make(second, third)
	for _, claim := range []*v1alpha1.BucketClaim{second, third} {
		cl.says(claim, "FailedCreateBucket", fmt.Sprintf("Warning: BindingConflict: Bucket %q belongs to BucketClaim %s/first with UID %s: "+
			"claim another Bucket, or delete that BucketClaim", existingName, cl.Namespace, first.UID))
	}
	cl.Settle()
	untouched(t, cl, bucket)
	cl.Must(cl.Refresh(second))
	if diff := cmp.Diff(v1alpha1.BucketClaimStatus{}, second.Status); diff != "" {
		t.Errorf("status of the second claim (-want +got):\n%s", diff)
	}
	cl.Remove(third)
	cl.WaitGone(third)
	untouched(t, cl, bucket)

	cl.Remove(first)
	cl.WaitGone(first)
	cluster.Await(cl.Cluster, second, "gets the released Bucket", ready)
	cl.Must(cl.Refresh(bucket))
	if got := bucket.Spec.BucketClaim.UID; got != second.UID {
		t.Errorf("the Bucket refers to UID %s, want %s", got, second.UID)
	}
}

// TestClaimsRaceForABucket: one of them wins.
func TestClaimsRaceForABucket(t *testing.T) {
	cl := start(t)
	claims := make([]*v1alpha1.BucketClaim, 8)
	for i := range claims {
		claims[i] = cl.claimOfExisting(fmt.Sprintf("claim-%d", i))
		cl.Make(claims[i])
	}
	bucket := existingBucket()
	cl.Make(bucket)
	cl.provision(bucket)
	cl.Eventually(func() error {
		var bound []string
		for _, claim := range claims {
			if err := cl.Refresh(claim); err != nil {
				return err
			}
			if claim.Status.BucketReady && claim.Status.BucketName == existingName {
				bound = append(bound, claim.Name)
			}
		}
		if len(bound) != 1 {
			return fmt.Errorf("bound claims: %v", bound)
		}
		return nil
	})
	cl.Settle()
	for _, claim := range claims {
		cl.Must(cl.Refresh(claim))
		cl.Must(cl.Refresh(bucket))
		if owns := bucket.Spec.BucketClaim.UID == claim.UID; claim.Status.BucketReady != owns || (claim.Status.BucketName != "") != owns {
			t.Errorf("claim %s has status %+v; the Bucket refers to %s", claim.Name, claim.Status, bucket.Spec.BucketClaim.Name)
		}
	}
}

// TestProtocols: a strict controller requires the claim's protocols of the Bucket, before it is
// bound and after.
func TestProtocols(t *testing.T) {
	cl := prepare(t)
	cl.strict = true
	cl.startController()
	bucket, claim := existingBucket(), cl.claimOfExisting("data")
	claim.Spec.Protocols = []v1alpha1.Protocol{v1alpha1.ProtocolS3, v1alpha1.ProtocolAzure}
	cl.Make(bucket)
	cl.provision(bucket)
	cl.Make(claim)
	lacks := `Warning: ProtocolNotSupported: Bucket "brown" has the protocols [S3], and lacks [Azure], which this claim requires`
	cl.says(claim, "FailedCreateBucket", lacks)
	cl.Settle()
	untouched(t, cl, bucket)
	addAzure := func(b *v1alpha1.Bucket) { b.Spec.Protocols = append(b.Spec.Protocols, v1alpha1.ProtocolAzure) }
	change(cl, bucket, addAzure)
	cluster.Await(cl.Cluster, claim, "is ready", ready)
	change(cl, bucket, func(b *v1alpha1.Bucket) { b.Spec.Protocols = b.Spec.Protocols[:1] })
	cluster.Await(cl.Cluster, claim, "is not ready", unready)
	change(cl, bucket, addAzure)
	cluster.Await(cl.Cluster, claim, "is ready again", ready)
}

// TestExistingBucketIsCreatedAgain: the administrator creates the lost Bucket again.
func TestExistingBucketIsCreatedAgain(t *testing.T) {
	cl := start(t)
	bucket, claim := existingBucket(), cl.claimOfExisting("data")
	cl.Make(bucket, claim)
	cl.provision(bucket)
	cluster.Await(cl.Cluster, claim, "is ready", ready)
	cl.ForceRemove(bucket)
	cluster.Await(cl.Cluster, claim, "is not ready", unready)
	again := existingBucket()
	cl.Make(again)
	cl.provision(again)
	cluster.Await(cl.Cluster, claim, "is ready again", ready)
}

// TestDeleteClaimOfExistingBucket: with the policy Retain, the Bucket stays and is released;
// with Delete, it goes with its claim. An unknown policy does not delete data.
func TestDeleteClaimOfExistingBucket(t *testing.T) {
	for _, tc := range []struct {
		policy  v1alpha1.DeletionPolicy
		deleted bool
	}{{v1alpha1.DeletionPolicyRetain, false}, {"Keep", false}, {v1alpha1.DeletionPolicyDelete, true}} {
		t.Run(string(tc.policy), func(t *testing.T) {
			cl := start(t)
			bucket, claim := existingBucket(), cl.claimOfExisting("data")
			bucket.Spec.DeletionPolicy = tc.policy
			cl.Make(bucket, claim)
			cl.guard(bucket)
			cl.provision(bucket)
			cluster.Await(cl.Cluster, claim, "is ready", ready)
			cl.Remove(claim)
			if tc.deleted {
				cluster.Await(cl.Cluster, bucket, "is being deleted", deleting)
				cl.release(bucket)
				cl.WaitGone(bucket)
			}
			cl.WaitGone(claim)
			if tc.deleted {
				return
			}
			cl.Must(cl.Refresh(bucket))
			want := existingBucket().Spec
			want.DeletionPolicy = tc.policy
			if diff := cmp.Diff(want, bucket.Spec); diff != "" {
				t.Errorf("spec of the released Bucket (-want +got):\n%s", diff)
			}
			if !bucket.DeletionTimestamp.IsZero() || !bucket.Status.BucketReady {
				t.Errorf("the released Bucket is not as before: %+v", bucket)
			}
		})
	}
}
