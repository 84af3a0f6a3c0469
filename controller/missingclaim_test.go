package controller_test

import (
	"context"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
)

// TestClaimGoesMissing: the KEP has ResourcesValidated False when a BucketClaim
// of a granted access goes missing. A claim that is created again under its name is
// another one.
// KEP: COND-VALID-6, COND-ACCESS-5, REASON-7
func TestClaimGoesMissing(t *testing.T) {
	h := start(t)
	h.make(class(retain), newAccessClass())
	claim, _ := h.provisioned("data")
	access := h.access("app", "data")
	h.make(access)
	h.handedOff(access)
	h.reportAccess(access)
	h.must(h.removeByForce(context.Background(), claim))
	h.accessSays(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketClaimNotFound)
	h.eventually("an Event", func(ctx context.Context) error {
		if events := h.events(ctx, access); events[v1alpha2.ReasonBucketClaimNotFound] == "" {
			return fmt.Errorf("events %v", events)
		}
		return nil
	})

	again := h.claim("data")
	h.make(again)
	h.bucketOf(again)
	h.settles()
	h.accessSays(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketClaimNotFound)
	awaits(h, again, "is not held by an access to another bucket", unprotected)
}

// TestSidecarKeepsClaimMissing: a sidecar that finds nothing wrong does not
// see the claim. The controller corrects a status that the sidecar wrote by mistake.
// KEP: COND-ACCESS-5
func TestSidecarKeepsClaimMissing(t *testing.T) {
	h := start(t)
	h.make(class(retain), newAccessClass())
	claim, _ := h.provisioned("data")
	access := h.access("app", "data")
	h.make(access)
	h.handedOff(access)
	h.must(h.removeByForce(context.Background(), claim))
	h.accessSays(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketClaimNotFound)

	ours := condition.For(&access.Status.Conditions, access.Generation)
	ours.MarkValidated()
	if got := ours.Get(v1alpha2.ConditionResourcesValidated); got.Status != metav1.ConditionFalse {
		t.Errorf("the sidecar's result overrules the controller's: %+v", got)
	}
	ours.Set(v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated, "written by hand")
	h.must(h.Status().Update(context.Background(), access))
	h.accessSays(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketClaimNotFound)
}
