package explore

import (
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/emulator/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/spec"
)

// ineligible returns why steps cannot be explored: they need what a sandbox lacks, or
// what all runs share. It is empty if they can.
func ineligible(steps []spec.Step) string {
	for i := range steps {
		s := &steps[i]
		if s.Call != nil {
			return "a step calls the driver directly, and does not retry after a fault as a sidecar does"
		}
		if s.Delete != nil && slices.ContainsFunc(*s.Delete, func(r spec.Reference) bool { return r.Kind == "Namespace" }) {
			return "a step deletes a namespace, and all runs share one"
		}
		for _, names := range []*spec.Names{s.Crash, s.Restart, s.Start, s.Stop} {
			if names != nil && slices.ContainsFunc(*names, isControllerManager) {
				return "a step needs a kube-controller-manager, and sandboxes have none"
			}
		}
		for _, within := range s.Within() {
			if reason := ineligible(within); reason != "" {
				return reason
			}
		}
	}
	return ""
}

func isControllerManager(component spec.Text) bool {
	return component.Source() == controlplane.ControllerManager
}
