package controller_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// TestE30Conflicts creates 50 claims with an access each, at once. Conflicts are
// retried without a word, and there are fewer than one for each claim.
// KEP: COND-ALL-1
// Known failure: E58
func TestE30Conflicts(t *testing.T) {
	const n = 50
	h := start(t)
	h.make(class(), newAccessClass())
	claims, accesses := make([]*v1alpha2.BucketClaim, n), make([]*v1alpha2.BucketAccess, n)
	for i := range n {
		name := fmt.Sprintf("data-%d", i)
		claims[i], accesses[i] = h.claim(name), h.access(name, name)
		h.make(claims[i], accesses[i])
	}
	for _, claim := range claims {
		h.report(h.bucketOf(claim), provision)
	}
	for i := range n {
		h.claimSays(claims[i], v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
		h.handedOff(accesses[i])
	}
	writes := h.settles()
	conflicts := h.answers(http.StatusConflict)
	t.Logf("%d claims with accesses: %d writes, %d conflicts", n, writes, conflicts)
	if conflicts >= n {
		t.Errorf("%d conflicts for %d claims", conflicts, n)
	}
	if log := h.log.String(); strings.Contains(log, "Reconciler error") {
		t.Errorf("conflicts were logged:\n%s", log)
	}
	for _, claim := range claims {
		h.must(h.Delete(context.Background(), claim))
	}
	for _, access := range accesses {
		h.must(h.Delete(context.Background(), access))
		h.finishCleanup(access)
	}
	for i := range n {
		h.vanishes(accesses[i])
		h.vanishes(claims[i])
	}
}

// TestSilence: a system in which everything is ready, waits, or has failed for
// good does not cause a single call while a later claim is reconciled.
func TestSilence(t *testing.T) {
	h := start(t)
	h.make(class(), newAccessClass())
	h.provisioned("ready")
	granted := h.access("granted", "ready")
	rejected := h.access("rejected", "ready")
	rejected.Spec.Protocol = v1alpha2.ProtocolGCS
	waiting := h.access("waiting", "absent")
	noClass := h.claim("no-class")
	noClass.Spec.BucketClassName = "absent"
	h.make(granted, rejected, waiting, noClass)
	h.handedOff(granted)
	h.accessSays(rejected, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonProtocolNotSupported)
	h.accessSays(waiting, v1alpha2.ConditionResourcesValidated, metav1.ConditionUnknown, v1alpha2.ReasonBucketClaimNotFound)
	h.claimSays(noClass, v1alpha2.ConditionResourcesValidated, metav1.ConditionUnknown, v1alpha2.ReasonBucketClassNotFound)
	h.settles()

	before := len(h.requests.All())
	marker := h.claim("marker")
	marker.Spec.BucketClassName = "absent"
	h.make(marker)
	h.claimSays(marker, v1alpha2.ConditionResourcesValidated, metav1.ConditionUnknown, v1alpha2.ReasonBucketClassNotFound)
	h.settles()
	for _, request := range h.requests.All()[before:] {
		if !strings.Contains(request.Path, "/marker") && !strings.HasSuffix(request.Path, "/events") {
			t.Errorf("a request about what has settled: %s", request)
		}
	}
}
