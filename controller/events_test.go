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
	cl := start(t)
	cl.Make(class(), newAccessClass())
	claim, access := cl.claim("data"), cl.access("app", "data")
	cl.Make(claim, access)
	cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionUnknown, v1alpha2.ReasonWaitingForBucket)
	cl.Eventually(func() error {
		want := `Normal: waiting for the bucket of BucketClaim "data" to be provisioned`
		if got := cl.Events(access)[v1alpha2.ReasonWaitingForBucket]; got != want {
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
	cl := start(t)
	cl.Make(class())
	claim, bucket := cl.provisioned("data")
	cl.Must(cl.Delete(context.Background(), claim))
	cl.WaitGone(claim.DeepCopy())
	cl.report(bucket, func(s *v1alpha2.BucketStatus) {
		conditions(s, metav1.ConditionTrue, metav1.ConditionTrue, metav1.ConditionTrue, v1alpha2.ReasonDriverRefused)
	})
	want := fmt.Sprintf("Warning: DriverRefused: Bucket %q: said the sidecar", bucket.Name)
	cl.Eventually(func() error {
		if diff := cmp.Diff(want, cl.Events(claim)[v1alpha2.ReasonFailedDeleteBucket]); diff != "" {
			return fmt.Errorf("(-want +got):\n%s", diff)
		}
		return nil
	})
	cl.setPolicy(bucket, v1alpha2.DeletionPolicyRetain) // another event of the Bucket
	cl.Settle()
	if got, twice := cl.Events(claim)[v1alpha2.ReasonFailedDeleteBucket+" again"]; twice {
		t.Errorf("told again: %q", got)
	}
	cl.releaseBucket(bucket)
	cl.WaitGone(bucket)
}
