package controller_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// TestWaitingAccessIsReported: the KEP requires an Event for an access that waits.
// KEP: EVENT-ACCESS-1, REASON-9
func TestWaitingAccessIsReported(t *testing.T) {
	h := start(t)
	h.make(class(), newAccessClass())
	claim, access := h.claim("data"), h.access("app", "data")
	h.make(claim, access)
	h.accessSays(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionUnknown, v1alpha2.ReasonWaitingForBucket)
	h.eventually("the KEP's Event", func(ctx context.Context) error {
		want := `Normal: waiting for the bucket of BucketClaim "data" to be provisioned`
		if got := h.events(ctx, access)[v1alpha2.ReasonWaitingForBucket]; got != want {
			return fmt.Errorf("%q, want %q", got, want)
		}
		return nil
	})
}

// TestFailedDeletionIsReportedOnTheClaim: an Event tells the user of a claim that its
// bucket cannot be deleted, although the claim is gone and only administrators see the
// Bucket. The same failure has one Event.
// KEP: EVENT-CLAIM-2
func TestFailedDeletionIsReportedOnTheClaim(t *testing.T) {
	h := start(t)
	h.make(class())
	claim, bucket := h.provisioned("data")
	h.must(h.Delete(context.Background(), claim))
	h.vanishes(claim.DeepCopy())
	h.report(bucket, func(s *v1alpha2.BucketStatus) {
		conditions(s, metav1.ConditionTrue, metav1.ConditionTrue, metav1.ConditionTrue, v1alpha2.ReasonDriverRefused)
	})
	want := fmt.Sprintf("Warning: DriverRefused: Bucket %q: said the sidecar", bucket.Name)
	h.eventually("the KEP's Event", func(ctx context.Context) error {
		if diff := cmp.Diff(want, h.events(ctx, claim)[v1alpha2.ReasonFailedDeleteBucket]); diff != "" {
			return fmt.Errorf("(-want +got):\n%s", diff)
		}
		return nil
	})
	h.setPolicy(bucket, v1alpha2.DeletionPolicyRetain) // another event of the Bucket
	h.settles()
	if got, twice := h.events(context.Background(), claim)[v1alpha2.ReasonFailedDeleteBucket+" again"]; twice {
		t.Errorf("told again: %q", got)
	}
	h.releaseBucket(bucket)
	h.vanishes(bucket)
}
