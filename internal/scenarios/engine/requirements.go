package engine

import (
	"fmt"
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/emulator/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/spec"
)

// LabelBridge is the label of scenarios that cannot pass with a driver of COSI v1alpha1
// behind a bridge. Its value is the reason; docs/bridge.md has them all.
const LabelBridge = "bridge"

// unmetRequirement returns the first requirement of a scenario that this emulator or
// cluster does not meet, or "".
func (e *Engine) unmetRequirement(s *spec.Scenario) string {
	if s.API() != e.emulator.API() {
		return fmt.Sprintf("it is for the kinds of %s: requires an emulator that serves them", s.API())
	}
	for _, need := range []struct {
		missing bool
		reason  string
		of      func(spec.Step) bool
	}{
		{!e.options.AllowExec, "it runs a program: requires --allow-exec", verbIs("exec")},
		{e.emulator.Store() == nil, "it inspects the backend: requires the fake driver", verbIs("backend")},
		{e.emulator.Info().DriverEndpoint == "", "it calls a driver: requires a driver", verbIs("call")},
		{e.emulator.ControlPlane() == nil, "it stops control plane processes: requires the emulator's own control plane", requiresControlPlane},
		{!e.emulator.LeaderElectionEnabled(), "it takes Leases: requires --leader-elect", requiresLease},
	} {
		if need.missing && anyStep(s.Steps, need.of) {
			return need.reason
		}
	}
	if reason := s.Labels[LabelBridge]; reason != "" && e.emulator.Bridged() {
		return "the bridge to COSI v1alpha1 does not have what it needs: " + reason
	}
	ownFake := func(d spec.Driver) bool { return d.Socket == "" }
	if e.emulator.Store() == nil && slices.ContainsFunc(s.Setup.Drivers, ownFake) {
		return "it starts fake drivers: requires the emulator's store"
	}
	return ""
}

// RunsAlone reports whether a scenario stops, crashes or disturbs shared components,
// so that no other can run at the same time.
func RunsAlone(s *spec.Scenario) bool { return runsAlone(s) }

func verbIs(verb string) func(spec.Step) bool {
	return func(s spec.Step) bool { return s.Verb == verb }
}

// requiresControlPlane reports whether a step requires a control plane of the
// emulator.
func requiresControlPlane(s spec.Step) bool {
	if s.Inject != nil && s.Inject.Outage != "" {
		return true
	}
	for _, names := range []*spec.Names{s.Crash, s.Restart, s.Start, s.Stop} {
		if names != nil && slices.ContainsFunc(*names, isControlPlane) {
			return true
		}
	}
	return false
}

// requiresLease reports whether a step requires leader election.
func requiresLease(s spec.Step) bool { return s.Inject != nil && s.Inject.LoseLease != 0 }

func isControlPlane(component spec.Text) bool {
	return slices.Contains([]string{controlplane.Etcd, controlplane.APIServer, controlplane.ControllerManager}, component.Source())
}

// anyStep reports whether a condition holds for a step, or for one inside it.
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
