package controller_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/cluster"
)

// The status of a successful claim changes twice: when it is bound, and when it is
// provisioned. The states of the Bucket in between change nothing.
func TestStatusWritesOfASuccessfulClaim(t *testing.T) {
	h := start(t)
	h.make(class())
	claim := h.claim("data")
	h.make(claim)
	bucket := h.bucketOf(claim)
	h.claimSays(claim, v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonWaitingForBucket)
	h.guardBucket(bucket)
	h.settles()
	h.report(bucket, func(status *v1alpha2.BucketStatus) {
		identify(status)
		conditions(status, metav1.ConditionUnknown, metav1.ConditionUnknown, metav1.ConditionUnknown, v1alpha2.ReasonPending)
	})
	h.settles()
	h.report(bucket, provision)
	h.claimSays(claim, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
	h.settles()
	var writes []cluster.Request
	for _, c := range h.requests.Writes() {
		if strings.HasSuffix(c.Path, "/bucketclaims/data/status") {
			writes = append(writes, c)
		}
	}
	if len(writes) != 2 {
		t.Errorf("the status was written %d times, want 2 (bound and waiting; provisioned): %v", len(writes), h.requests.Writes())
	}
}
