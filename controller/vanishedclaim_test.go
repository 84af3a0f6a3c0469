package controller_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
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
		vanish func(h *fixture, claim *v1alpha2.BucketClaim)
	}{
		{"removed by force", true, class(retain), func(h *fixture, claim *v1alpha2.BucketClaim) {
			h.must(h.removeByForce(context.Background(), claim))
		}},
		{"made again under its name", true, class(retain), func(h *fixture, claim *v1alpha2.BucketClaim) { h.again(claim) }},
		{"while the controller is down", false, class(), func(h *fixture, claim *v1alpha2.BucketClaim) {
			h.stopController()
			h.must(h.removeByForce(context.Background(), claim))
			h.startController()
		}},
		{"made again while the controller is down", false, class(), func(h *fixture, claim *v1alpha2.BucketClaim) {
			h.stopController()
			h.again(claim)
			h.startController()
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := start(t)
			h.make(tc.class)
			claim, bucket := h.provisioned("data")
			tc.vanish(h, claim.DeepCopy())
			awaits(h, bucket, "is announced", announced)
			before := h.settles()
			if after := h.settles(); after != before {
				t.Errorf("%d more writes", after-before)
			}
			h.must(refresh(context.Background(), h, bucket))
			if !bucket.DeletionTimestamp.IsZero() {
				t.Errorf("a Bucket that no claim has asked to delete is being deleted")
			}
			if tc.live { // the controller may have seen the deletion before the finalizer was stripped
				return
			}
			h.eventually("an Event", func(ctx context.Context) error {
				want := fmt.Sprintf("BucketClaim %s/data with UID %s does not exist any more", h.namespace, claim.UID)
				if got := h.events(ctx, bucket)[v1alpha2.ReasonBucketClaimNotFound]; !strings.Contains(got, want) {
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
	h := start(t)
	bucket, claim := h.existingBucket(existingName, "data"), h.claimOfExisting()
	h.make(bucket, claim)
	awaits(h, bucket, "is bound", func(b *v1alpha2.Bucket) error {
		if b.Spec.BucketClaimRef.UID == "" {
			return fmt.Errorf("not bound: %+v", b.Spec)
		}
		return nil
	})
	h.again(claim)
	awaits(h, bucket, "is announced", announced)
}

// TestVanishedClaimInUse: the application keeps its bucket until its access is gone.
func TestVanishedClaimInUse(t *testing.T) {
	h := start(t)
	h.make(class(), newAccessClass())
	claim, bucket := h.provisioned("data")
	access := h.access("app", "data")
	h.make(access)
	h.handedOff(access)
	h.reportAccess(access)
	h.must(h.removeByForce(context.Background(), claim))
	h.settles()
	h.must(refresh(context.Background(), h, bucket))
	h.must(unannounced(bucket))
	h.must(h.Delete(context.Background(), access))
	h.settles()
	h.must(refresh(context.Background(), h, bucket))
	h.must(unannounced(bucket))
	h.finishCleanup(access)
	h.vanishes(access)
	awaits(h, bucket, "is announced", announced)
}

// TestBucketWithAnUnknownUID: an administrator has made it for a claim that never was.
func TestBucketWithAnUnknownUID(t *testing.T) {
	h := start(t)
	bucket := h.existingBucket(existingName, "data")
	bucket.Spec.BucketClaimRef.UID = types.UID("01234567-89ab-cdef-0123-456789abcdef")
	free := h.existingBucket("free", "data")
	h.make(bucket, free)
	awaits(h, bucket, "is announced", announced)
	h.settles()
	h.must(refresh(context.Background(), h, free))
	h.must(unannounced(free))
	for _, b := range []client.Object{bucket, free} {
		h.must(h.Delete(context.Background(), b))
	}
}
