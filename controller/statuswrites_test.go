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
	cl := start(t)
	cl.Make(class())
	claim := cl.claim("data")
	cl.Make(claim)
	bucket := cl.bucketOf(claim)
	cl.WaitCondition(claim, v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonWaitingForBucket)
	cl.guardBucket(bucket)
	cl.Settle()
	cl.report(bucket, func(status *v1alpha2.BucketStatus) {
		identify(status)
		conditions(status, metav1.ConditionUnknown, metav1.ConditionUnknown, metav1.ConditionUnknown, v1alpha2.ReasonPending)
	})
	cl.Settle()
	cl.report(bucket, provision)
	cl.WaitCondition(claim, v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
	cl.Settle()
	var writes []cluster.Request
	for _, c := range cl.Requests.Writes() {
		if strings.HasSuffix(c.Path, "/bucketclaims/data/status") {
			writes = append(writes, c)
		}
	}
	if len(writes) != 2 {
		t.Errorf("the status was written %d times, want 2 (bound and waiting; provisioned): %v", len(writes), cl.Requests.Writes())
	}
}
