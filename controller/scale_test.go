package controller_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/go-logr/logr/funcr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosicontroller "github.com/cosi-emu/cosi-emu/controller"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestE30Conflicts creates 50 claims with an access each, at once. Conflicts are
// retried without a word, and there are fewer than one for each claim.
// KEP: COND-ALL-1
// Known failure: E58
func TestE30Conflicts(t *testing.T) {
	const n = 50
	cl, log := prepare(t), &harness.Buffer{}
	cl.startController(func(o *cosicontroller.Options) {
		o.Logger = funcr.New(func(_, line string) { _, _ = fmt.Fprintln(log, line) }, funcr.Options{})
	})
	cl.Make(class(), newAccessClass())
	claims, accesses := make([]*v1alpha2.BucketClaim, n), make([]*v1alpha2.BucketAccess, n)
	for i := range n {
		name := fmt.Sprintf("data-%d", i)
		claims[i], accesses[i] = cl.claim(name), cl.access(name, name)
		cl.Make(claims[i], accesses[i])
	}
	for _, claim := range claims {
		cl.report(cl.bucketOf(claim), provision)
	}
	for i := range n {
		cl.WaitCondition(claims[i], v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned)
		cl.handedOff(accesses[i])
	}
	writes := cl.Settle()
	conflicts := cl.answers(http.StatusConflict)
	t.Logf("%d claims with accesses: %d writes, %d conflicts", n, writes, conflicts)
	if conflicts >= n {
		t.Errorf("%d conflicts for %d claims", conflicts, n)
	}
	if log := log.String(); strings.Contains(log, "Reconciler error") {
		t.Errorf("conflicts were logged:\n%s", log)
	}
	for _, claim := range claims {
		cl.Must(cl.Delete(context.Background(), claim))
	}
	for _, access := range accesses {
		cl.Must(cl.Delete(context.Background(), access))
		cl.finishCleanup(access)
	}
	for i := range n {
		cl.WaitGone(accesses[i])
		cl.WaitGone(claims[i])
	}
}

// TestSilence: a system in which everything is ready, waits, or has failed for
// good does not cause a single call while a later claim is reconciled.
func TestSilence(t *testing.T) {
	cl := start(t)
	cl.Make(class(), newAccessClass())
	cl.provisioned("ready")
	granted := cl.access("granted", "ready")
	rejected := cl.access("rejected", "ready")
	rejected.Spec.Protocol = v1alpha2.ProtocolGCS
	waiting := cl.access("waiting", "absent")
	noClass := cl.claim("no-class")
	noClass.Spec.BucketClassName = "absent"
	cl.Make(granted, rejected, waiting, noClass)
	cl.handedOff(granted)
	cl.WaitCondition(rejected, v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonProtocolNotSupported)
	cl.WaitCondition(waiting, v1alpha2.ConditionResourcesValidated, metav1.ConditionUnknown, v1alpha2.ReasonBucketClaimNotFound)
	cl.WaitCondition(noClass, v1alpha2.ConditionResourcesValidated, metav1.ConditionUnknown, v1alpha2.ReasonBucketClassNotFound)
	cl.Settle()

	before := len(cl.Requests.All())
	marker := cl.claim("marker")
	marker.Spec.BucketClassName = "absent"
	cl.Make(marker)
	cl.WaitCondition(marker, v1alpha2.ConditionResourcesValidated, metav1.ConditionUnknown, v1alpha2.ReasonBucketClassNotFound)
	cl.Settle()
	for _, request := range cl.Requests.All()[before:] {
		if !strings.Contains(request.Path, "/marker") && !strings.HasSuffix(request.Path, "/events") {
			t.Errorf("a request about what has settled: %s", request)
		}
	}
}
