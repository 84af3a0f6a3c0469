package contract

import (
	"slices"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

// TestEarlierWork: a scenario does not judge the end of a deletion that began before it, and whose
// beginning it has not seen.
func TestEarlierWork(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	claim := emulatortest.Claim(t, emu, emulatortest.NamespaceIn(t, emu), "before")
	slow := fault.Fault{
		Name:   "slow",
		Match:  fault.Match{Seam: journal.SeamAPI, Component: "sidecar", Operation: "patch buckets", Times: 1},
		Effect: fault.Effect{Delay: 300 * time.Millisecond},
	}
	if err := emu.Faults().Add(slow); err != nil {
		t.Fatal(err)
	}
	mark := emu.Journal().Mark()
	if err := emu.Client().Delete(t.Context(), claim); err != nil {
		t.Fatal(err)
	}
	for e := range emu.Journal().Follow(t.Context(), mark) {
		if e.Operation.Name == "DriverDeleteBucket" && e.Component == "sidecar" {
			break // the sidecar removes its finalizer next
		}
	}
	e := engine.New(emu, engine.Options{})
	if result := e.Run(t.Context(), parse(t, "steps:\n- settle:\n")); result.Outcome != outcome.Passed {
		t.Errorf("a scenario during the end of a deletion: %s\n%s", result.Outcome, explain(result))
	}
	releases := func(e journal.Event) bool { return e.Component == "sidecar" && e.Operation.Name == "patch buckets" }
	if !slices.ContainsFunc(emu.Journal().Since(mark), releases) {
		t.Error("the sidecar has not removed its finalizer: the test shows nothing")
	}
}
