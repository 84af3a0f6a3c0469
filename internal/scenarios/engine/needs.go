package engine

import (
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/emulator/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/spec"
)

// lacks says why a scenario cannot be run here: what it needs that this emulator,
// or somebody else's cluster, has not. It is empty if nothing is missing.
func (e *Engine) lacks(s *spec.Scenario) string {
	for _, need := range []struct {
		missing bool
		reason  string
		of      func(spec.Step) bool
	}{
		{!e.options.AllowExec, "it runs a program, which --allow-exec would allow", verbIs("exec")},
		{e.emulator.Store() == nil, "it looks into the backend, and only that of the fake driver can be seen", verbIs("backend")},
		{e.emulator.Info().DriverEndpoint == "", "it calls a driver, and there is none", verbIs("call")},
		{e.emulator.ControlPlane() == nil, "it stops parts of the control plane, and this one is somebody else's", stopsControlPlane},
		{!e.emulator.LeaderElectionEnabled(), "it takes Leases, which components hold only with --leader-elect", takesLease},
	} {
		if need.missing && anyStep(s.Steps, need.of) {
			return need.reason
		}
	}
	ownFake := func(d spec.Driver) bool { return d.Socket == "" }
	if e.emulator.Store() == nil && slices.ContainsFunc(s.Setup.Drivers, ownFake) {
		return "it has fake drivers of its own, which need the emulator's store"
	}
	return ""
}

// RunsAlone reports whether a scenario stops, crashes or disturbs what all
// scenarios share, so that no other can run beside it.
func RunsAlone(s *spec.Scenario) bool { return runsAlone(s) }

func verbIs(verb string) func(spec.Step) bool {
	return func(s spec.Step) bool { return s.Verb == verb }
}

// stopsControlPlane reports whether a step needs a control plane of the emulator's
// own.
func stopsControlPlane(s spec.Step) bool {
	if s.Inject != nil && s.Inject.Outage != "" {
		return true
	}
	for _, names := range []*spec.Names{s.Crash, s.Restart, s.Start, s.Stop} {
		if names != nil && slices.ContainsFunc(*names, ofControlPlane) {
			return true
		}
	}
	return false
}

// takesLease reports whether a step needs components that have been elected.
func takesLease(s spec.Step) bool { return s.Inject != nil && s.Inject.LoseLease != 0 }

func ofControlPlane(component spec.Text) bool {
	return slices.Contains([]string{controlplane.Etcd, controlplane.APIServer, controlplane.ControllerManager}, component.Source())
}

// anyStep looks through steps, and those within them.
func anyStep(steps []spec.Step, holds func(spec.Step) bool) bool {
	for _, s := range steps {
		if holds(s) {
			return true
		}
		for _, within := range s.Within() {
			if anyStep(within, holds) {
				return true
			}
		}
	}
	return false
}
