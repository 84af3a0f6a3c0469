package emulator_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestLeaseLost takes the Leases of the controller and of the sidecar in the middle
// of a story: each exits when it reads that another holder has its Lease, writes
// nothing after that, and finishes the story in another incarnation.
func TestLeaseLost(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{LeaderElection: true})
	inject(t, emu, "deposed", fault.Match{
		Seam: journal.SeamAPI, Component: emulator.ComponentController, Operation: "create buckets", Nth: 1,
	}, fault.Effect{LoseLease: time.Second})
	inject(t, emu, "ousted", fault.Match{
		Seam: journal.SeamRPC, Component: emulator.ComponentSidecar, Operation: "DriverGrantBucketAccess", Nth: 1,
	}, fault.Effect{LoseLease: time.Second})
	serveByDriver(t, emu, emu.Info().DriverName, "elected")
	expectOneLoss(t, emu, "deposed", "controller create buckets")
	expectOneLoss(t, emu, "ousted", "sidecar DriverGrantBucketAccess")
	for _, name := range []string{emulator.ComponentController, emulator.ComponentSidecar} {
		expectDeposed(t, emu, name)
	}
	select {
	case err := <-emu.Failed():
		t.Errorf("the emulator has failed: %v; a lost Lease was asked for", err)
	default:
	}
}

// TestTakeLease takes a Lease by hand, and rejects components without a Lease.
func TestTakeLease(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{LeaderElection: true})
	if err := emu.TakeLease(t.Context(), emulator.ComponentController, time.Second); err != nil {
		t.Fatal(err)
	}
	serveByDriver(t, emu, emu.Info().DriverName, "by-hand")
	expectDeposed(t, emu, emulator.ComponentController)
	for _, name := range []string{emulator.ComponentDriver, "unknown"} {
		if err := emu.TakeLease(t.Context(), name, time.Second); !errors.Is(err, emulator.ErrOptions) {
			t.Errorf("the Lease of %s: %v, want ErrOptions", name, err)
		}
	}
	if _, err := emu.AddReplica(t.Context(), emulator.ComponentController); !errors.Is(err, emulator.ErrOptions) {
		t.Errorf("a second controller: %v, want ErrOptions: it would never become the leader", err)
	}
}

// TestTakeLeaseDisabled takes a Lease while leader election is disabled.
func TestTakeLeaseDisabled(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	if err := emu.TakeLease(t.Context(), emulator.ComponentController, time.Second); !errors.Is(err, emulator.ErrOptions) {
		t.Errorf("TakeLease() = %v, want ErrOptions: leader election is disabled", err)
	}
	err := emu.Faults().Add(fault.Fault{Name: "f", Match: fault.Match{Seam: journal.SeamRPC}, Effect: fault.Effect{LoseLease: time.Second}})
	if !errors.Is(err, fault.ErrInvalid) {
		t.Errorf("a fault that takes Leases: %v, want ErrInvalid", err)
	}
}

// expectOneLoss expects that a fault took a Lease before one operation. A component that reads
// of its loss before the operation has ended cuts the operation off.
func expectOneLoss(t *testing.T, emu *emulator.Emulator, name, want string) {
	t.Helper()
	events := faulted(emu, name)
	if len(events) != 1 {
		t.Errorf("fault %s was applied to %d operations, want 1: %v", name, len(events), events)
		return
	}
	e := events[0]
	if got := e.Component + " " + e.Operation.Name; got != want || e.Outcome != journal.OutcomeOK && !cutOff(e) {
		t.Errorf("fault %s was applied to %s, want %s, done or cut off", name, e, want)
	}
}

// expectDeposed expects that a component lost its Lease once. It ended as soon as it had read of
// it: it did not take the Lease back, and after its end it wrote and called nothing. Other
// requests may begin between the response and the moment at which the component has read it.
func expectDeposed(t *testing.T, emu *emulator.Emulator, name string) {
	t.Helper()
	want := []string{"start", "ready", journal.StepLoseLease, "fail", "start", "ready"}
	harness.Eventually(t, "the "+name+" is ready again, after what it has done meanwhile", func(context.Context) error {
		if diff := cmp.Diff(want, processSteps(emu, name)); diff != "" {
			return fmt.Errorf("its steps: -want, +got:\n%s", diff)
		}
		return nil
	})
	read, ended := false, false
	for _, e := range firstIncarnation(emu, name) {
		switch {
		case e.Operation.Name == "fail":
			ended = true
		case read && e.Operation.Name == "update leases" && !cutOff(e):
			t.Errorf("after it has read that it lost its Lease, it writes it: %s", e)
		case ended && works(e):
			t.Errorf("after it has ended: %s", e)
		case e.Operation.Name == "get leases" && strings.Contains(string(e.Response), emulator.OtherHolder):
			read = true
		}
	}
	if !read {
		t.Errorf("the %s has not read of its loss", name)
	}
}

// firstIncarnation are the events of a component until it was started again.
func firstIncarnation(emu *emulator.Emulator, name string) []journal.Event {
	return slices.DeleteFunc(emu.Journal().Since(0), func(e journal.Event) bool { return e.Component != name || e.Incarnation != 1 })
}

// processSteps are the steps in the life of a component until now.
func processSteps(emu *emulator.Emulator, name string) (steps []string) {
	for _, e := range emu.Journal().Since(0) {
		if e.Component == name && e.Seam == journal.SeamProcess {
			steps = append(steps, e.Operation.Name)
		}
	}
	return steps
}

// works reports whether an event is something that only a leader may do, and that has
// got through.
func works(e journal.Event) bool {
	elects := strings.Contains(e.Operation.Name, "leases") || strings.Contains(e.Operation.Name, "events")
	call := e.Seam == journal.SeamRPC && !slices.Contains([]string{"DriverGetInfo"}, e.Operation.Name)
	return !elects && !cutOff(e) && (e.Write() || call)
}

// cutOff reports whether an operation ended with its component.
func cutOff(e journal.Event) bool { return e.Outcome == "Canceled" || e.Outcome == "Fenced" }
