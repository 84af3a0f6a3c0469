package controller_test

import (
	"context"
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	"github.com/cosi-emu/cosi-emu/test/cluster"
)

// TestClaimGoesMissing: the KEP has ResourcesValidated False when a BucketClaim
// of a granted access goes missing. A claim that is created again under its name is
// another one.
// KEP: COND-VALID-6, COND-ACCESS-5, REASON-7
func TestClaimGoesMissing(t *testing.T) {
	cl := start(t)
	cl.Make(class(retain), newAccessClass())
	claim, _ := cl.provisioned("data")
	access := cl.access("app", "data")
	cl.Make(access)
	cl.handedOff(access)
	cl.reportAccess(access)
	cl.ForceRemove(claim)
	cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketClaimNotFound)
	cl.Eventually(func() error {
		if events := cl.Events(access); events[v1alpha2.ReasonBucketClaimNotFound] == "" {
			return fmt.Errorf("events %v", events)
		}
		return nil
	})

	again := cl.claim("data")
	cl.Make(again)
	cl.bucketOf(again)
	cl.Settle()
	cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketClaimNotFound)
	cluster.Await(cl.Cluster, again, "is not held by an access to another bucket", unprotected)
}

// TestSidecarKeepsClaimMissing: a sidecar that finds nothing wrong does not
// see the claim. The controller corrects a status that the sidecar wrote by mistake.
// KEP: COND-ACCESS-5
func TestSidecarKeepsClaimMissing(t *testing.T) {
	cl := start(t)
	cl.Make(class(retain), newAccessClass())
	claim, _ := cl.provisioned("data")
	access := cl.access("app", "data")
	cl.Make(access)
	cl.handedOff(access)
	cl.ForceRemove(claim)
	cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketClaimNotFound)

	ours := condition.For(&access.Status.Conditions, access.Generation)
	ours.MarkValidated()
	if got := ours.Get(v1alpha2.ConditionResourcesValidated); got.Status != metav1.ConditionFalse {
		t.Errorf("the sidecar's result overrules the controller's: %+v", got)
	}
	ours.Set(v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated, "written by hand")
	cl.Must(cl.Status().Update(context.Background(), access))
	cl.WaitCondition(access, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketClaimNotFound)
}
