package v1alpha1_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/test/controllertest"
)

// TestE57ExistingBucketInEitherOrder: elsewhere a claim that came first was ready without a
// Bucket. Nothing but the reference of the Bucket changes.
func TestE57ExistingBucketInEitherOrder(t *testing.T) {
	for _, bucketFirst := range []bool{true, false} {
		t.Run(fmt.Sprintf("bucketFirst=%t", bucketFirst), func(t *testing.T) {
			h := start(t)
			bucket, claim := existingBucket(), h.claimOfExisting("data")
			if bucketFirst {
				h.make(bucket)
				h.provision(bucket)
				h.make(claim)
			} else {
				h.make(claim)
				h.says(claim, "BucketNotFound", `Normal: waiting for Bucket "brown", which does not exist`)
				h.settles()
				h.must(refresh(context.Background(), h, claim))
				h.must(unready(claim))
				h.make(bucket)
				h.newBucketOf(claim)
				h.provision(bucket)
			}
			awaits(h, claim, "is ready", ready)
			want := existingBucket().Spec
			want.BucketClaim = &corev1.ObjectReference{
				Kind: "BucketClaim", APIVersion: "objectstorage.k8s.io/v1alpha1", Namespace: h.namespace, Name: "data", UID: claim.UID,
			}
			if diff := cmp.Diff(want, h.newBucketOf(claim).Spec); diff != "" {
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
			h := start(t)
			bucket, claim := existingBucket(), h.claimOfExisting("data")
			bucket.Spec.BucketClaim = &corev1.ObjectReference{Namespace: tc.namespace(h.namespace), Name: tc.claim}
			h.make(bucket)
			h.provision(bucket)
			h.make(claim)
			if tc.binds {
				awaits(h, claim, "is ready", ready)
				return
			}
			h.says(claim, "FailedCreateBucket", fmt.Sprintf("Warning: BindingConflict: Bucket %q belongs to BucketClaim %s/%s: "+
				"claim another Bucket, or delete that BucketClaim", existingName, tc.namespace(h.namespace), tc.claim))
			h.delete(claim)
			h.vanishes(claim)
			untouched(t, h, bucket)
		})
	}
}

// TestE50SecondClaim: a Bucket has one claim. The second claim overwrites nothing, can be
// deleted, and gets the Bucket once the first is gone.
func TestE50SecondClaim(t *testing.T) {
	h := start(t)
	bucket, first, second, third := existingBucket(), h.claimOfExisting("first"), h.claimOfExisting("second"), h.claimOfExisting("third")
	h.make(bucket, first)
	h.provision(bucket)
	awaits(h, first, "is ready", ready)
	h.must(refresh(context.Background(), h, bucket))
	h.make(second, third)
	for _, claim := range []*v1alpha1.BucketClaim{second, third} {
		h.says(claim, "FailedCreateBucket", fmt.Sprintf("Warning: BindingConflict: Bucket %q belongs to BucketClaim %s/first with UID %s: "+
			"claim another Bucket, or delete that BucketClaim", existingName, h.namespace, first.UID))
	}
	h.settles()
	untouched(t, h, bucket)
	h.must(refresh(context.Background(), h, second))
	if diff := cmp.Diff(v1alpha1.BucketClaimStatus{}, second.Status); diff != "" {
		t.Errorf("status of the second claim (-want +got):\n%s", diff)
	}
	h.delete(third)
	h.vanishes(third)
	untouched(t, h, bucket)

	h.delete(first)
	h.vanishes(first)
	awaits(h, second, "gets the released Bucket", ready)
	h.must(refresh(context.Background(), h, bucket))
	if got := bucket.Spec.BucketClaim.UID; got != second.UID {
		t.Errorf("the Bucket refers to UID %s, want %s", got, second.UID)
	}
}

// TestClaimsRaceForABucket: one of them wins.
func TestClaimsRaceForABucket(t *testing.T) {
	h := start(t)
	claims := make([]*v1alpha1.BucketClaim, 8)
	for i := range claims {
		claims[i] = h.claimOfExisting(fmt.Sprintf("claim-%d", i))
		h.make(claims[i])
	}
	bucket := existingBucket()
	h.make(bucket)
	h.provision(bucket)
	h.eventually("one claim is ready", func(ctx context.Context) error {
		var bound []string
		for _, claim := range claims {
			if err := refresh(ctx, h, claim); err != nil {
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
	h.settles()
	for _, claim := range claims {
		h.must(refresh(context.Background(), h, claim))
		h.must(refresh(context.Background(), h, bucket))
		if owns := bucket.Spec.BucketClaim.UID == claim.UID; claim.Status.BucketReady != owns || (claim.Status.BucketName != "") != owns {
			t.Errorf("claim %s has status %+v; the Bucket refers to %s", claim.Name, claim.Status, bucket.Spec.BucketClaim.Name)
		}
	}
}

// TestProtocols: for a strict controller, the Bucket must have those of the claim, before it is bound and after.
func TestProtocols(t *testing.T) {
	h := prepare(t)
	h.strict = true
	h.startController()
	bucket, claim := existingBucket(), h.claimOfExisting("data")
	claim.Spec.Protocols = []v1alpha1.Protocol{v1alpha1.ProtocolS3, v1alpha1.ProtocolAzure}
	h.make(bucket)
	h.provision(bucket)
	h.make(claim)
	lacks := `Warning: ProtocolNotSupported: Bucket "brown" has the protocols [S3], and lacks [Azure], which this claim requires`
	h.says(claim, "FailedCreateBucket", lacks)
	h.settles()
	untouched(t, h, bucket)
	addAzure := func(b *v1alpha1.Bucket) { b.Spec.Protocols = append(b.Spec.Protocols, v1alpha1.ProtocolAzure) }
	change(h, bucket, addAzure)
	awaits(h, claim, "is ready", ready)
	change(h, bucket, func(b *v1alpha1.Bucket) { b.Spec.Protocols = b.Spec.Protocols[:1] })
	awaits(h, claim, "is not ready", unready)
	change(h, bucket, addAzure)
	awaits(h, claim, "is ready again", ready)
}

// TestExistingBucketIsCreatedAgain: the administrator has repaired what was lost.
func TestExistingBucketIsCreatedAgain(t *testing.T) {
	h := start(t)
	bucket, claim := existingBucket(), h.claimOfExisting("data")
	h.make(bucket, claim)
	h.provision(bucket)
	awaits(h, claim, "is ready", ready)
	h.must(controllertest.RemoveByForce(context.Background(), h.Client, bucket))
	awaits(h, claim, "is not ready", unready)
	again := existingBucket()
	h.make(again)
	h.provision(again)
	awaits(h, claim, "is ready again", ready)
}

// TestDeleteClaimOfExistingBucket: with the policy Retain, the Bucket stays and is released;
// with Delete, it goes with its claim. An unknown policy does not delete data.
func TestDeleteClaimOfExistingBucket(t *testing.T) {
	for _, tc := range []struct {
		policy  v1alpha1.DeletionPolicy
		deleted bool
	}{{v1alpha1.DeletionPolicyRetain, false}, {"Keep", false}, {v1alpha1.DeletionPolicyDelete, true}} {
		t.Run(string(tc.policy), func(t *testing.T) {
			h := start(t)
			bucket, claim := existingBucket(), h.claimOfExisting("data")
			bucket.Spec.DeletionPolicy = tc.policy
			h.make(bucket, claim)
			h.guard(bucket)
			h.provision(bucket)
			awaits(h, claim, "is ready", ready)
			h.delete(claim)
			if tc.deleted {
				awaits(h, bucket, "is being deleted", deleting)
				h.release(bucket)
				h.vanishes(bucket)
			}
			h.vanishes(claim)
			if tc.deleted {
				return
			}
			h.must(refresh(context.Background(), h, bucket))
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
