package sandbox

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/oracle/watch"
	"github.com/cosi-emu/cosi-emu/internal/scenario/idle"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// TestWakeUp has a controller that does not learn of a class. Its claim waits until a restart, which is a
// finding. The state after it is one at rest.
func TestWakeUp(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a control plane")
	}
	w := interferenceSandbox(t)
	r := &running{sandbox: w, context: t.Context(), from: w.Emulator.Journal().Mark(), scenario: &spec.Scenario{Name: "deaf"}}
	r.idle = idle.New(w.Emulator)
	var err error
	if r.watcher, err = watch.Start(t.Context(), w.Emulator); err != nil {
		t.Fatal(err)
	}
	claim := &v1alpha2.BucketClaim{}
	claim.Namespace, claim.Name = run.Namespace, "photos"
	claim.Spec.BucketClassName, claim.Spec.Protocols = "late", []v1alpha2.Protocol{v1alpha2.ProtocolS3}
	create(t, w, claim)
	rest(t, r)
	deaf := fault.Fault{
		Name: "deaf", Effect: fault.Effect{Drop: true},
		Match: fault.Match{Seam: journal.SeamAPI, Component: emulator.ComponentController, Operation: "event bucketclasses"},
	}
	if err := w.Emulator.Faults().Add(deaf); err != nil {
		t.Fatal(err)
	}
	class := &v1alpha2.BucketClass{}
	class.Name, class.Spec.DriverName, class.Spec.DeletionPolicy = "late", w.Emulator.Info().DriverName, v1alpha2.DeletionPolicyDelete
	create(t, w, class)
	rest(t, r)
	w.Emulator.Faults().Clear()
	if err := r.awaken(); err != nil {
		t.Fatal(err)
	}
	want := []checks.Finding{
		{Oracle: run.OracleWakeUp, Subject: "Bucket/bc-<BucketClaim/photos>"},
		{Oracle: run.OracleWakeUp, Subject: "BucketClaim/photos"},
		{Oracle: run.OracleWakeUp, Subject: "bucket bc-<BucketClaim/photos>"},
	}
	if diff := cmp.Diff(want, r.seen.Found, cmpopts.IgnoreFields(checks.Finding{}, "Message", "Events")); diff != "" {
		t.Fatalf("findings (-want +got):\n%s%v", diff, r.seen.Found)
	}
	if len(r.seen.Found[0].Events) == 0 {
		t.Errorf("%s has no events that show it", r.seen.Found[0])
	}
	r.seen.Found = nil
	if err := r.awaken(); err != nil || len(r.seen.Found) > 0 {
		t.Errorf("findings %v, error %v; want none", r.seen.Found, err)
	}
	if state, err := r.restState(); err != nil || !w.rest.has(state) {
		t.Errorf("error %v; want a state at rest", err)
	}
}

// rest waits until everything is idle, and observes it.
func rest(t *testing.T, r *running) {
	t.Helper()
	if err := r.settle(func() bool { return true }, quietForSure, quietIfStarved); err != nil {
		t.Fatal(err)
	}
}

func create(t *testing.T, w *Sandbox, object client.Object) {
	t.Helper()
	if err := w.Emulator.Client().Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
}
