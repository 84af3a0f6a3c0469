package emulator_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
)

// TestOutage kills a process of the control plane while the sidecar creates a
// bucket. Everything comes out as if it had not.
func TestOutage(t *testing.T) {
	t.Parallel()
	for _, process := range []string{controlplane.APIServer, controlplane.Etcd} {
		t.Run(process, func(t *testing.T) {
			t.Parallel()
			emu := emulatortest.Start(t, emulator.Options{})
			mark := emu.Journal().Mark()
			inject(t, emu, "out", fault.Match{Seam: journal.SeamRPC, Operation: "DriverCreateBucket", Nth: 1},
				fault.Effect{Outage: process, Down: 300 * time.Millisecond})
			serveByDriver(t, emu, emu.Info().DriverName, "outage")
			if err := emu.Component(controlplane.APIServer).Start(t.Context()); err != nil { // components may be first to find that it is back
				t.Fatal(err)
			}
			var steps []string
			for _, e := range emu.Journal().Since(mark) {
				if e.Seam == journal.SeamProcess && e.Component == process {
					steps = append(steps, e.Operation.Name+" "+e.Outcome+" "+e.Fault)
				}
			}
			if diff := cmp.Diff([]string{"crash OK out", "ready OK out"}, steps); diff != "" {
				t.Errorf("steps of %s: -want, +got:\n%s", process, diff)
			}
			expectFaults(t, emu, map[string]string{"out": "sidecar DriverCreateBucket OK"})
		})
	}
}

// TestOutageEnds has a process be back when the fault is removed, or the emulator
// stopped.
func TestOutageEnds(t *testing.T) {
	t.Parallel()
	emu := emulatortest.Start(t, emulator.Options{})
	inject(t, emu, "out", fault.Match{Seam: journal.SeamRPC, Operation: "DriverCreateBucket", Nth: 1},
		fault.Effect{Outage: controlplane.APIServer, Down: time.Hour})
	s := newStory(t, emu)
	s.create(s.claim, s.access)
	waitApplied(t, emu.Faults(), 1)
	emu.Faults().Clear()
	if err := emu.Component(controlplane.APIServer).Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if emu.ControlPlane().PID(controlplane.APIServer) == 0 {
		t.Error("the API server is down although its outage is over")
	}
	s.waitReady()
}

// TestInfoOfControlPlane verifies that only programs of the control plane have process IDs: the
// embedded one is a part of this process.
func TestInfoOfControlPlane(t *testing.T) {
	t.Parallel()
	info := emulatortest.Start(t, emulator.Options{}).Info()
	has := slices.ContainsFunc(info.Components, func(c emulator.ComponentInfo) bool { return c.PID != 0 })
	if want := info.ControlPlane == emulator.ControlPlaneEnvtest; info.ControlPlane == "" || has != want {
		t.Errorf("the control plane is %q, and has processes: %t, want %t: %+v", info.ControlPlane, has, want, info.Components)
	}
}
