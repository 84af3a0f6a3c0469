package explore

import (
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/emulator/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/spec"
)

// obstacle says why steps cannot be explored: what a world has not, or has only one of
// for all runs. It is empty if they can.
func obstacle(steps []spec.Step) string {
	for i := range steps {
		s := &steps[i]
		if s.Call != nil {
			return "it calls the driver by itself, and does not try again when a fault has it fail, as a sidecar does"
		}
		if s.Delete != nil && slices.ContainsFunc(*s.Delete, func(r spec.Reference) bool { return r.Kind == "Namespace" }) {
			return "it deletes a namespace, and there is one for all runs"
		}
		for _, names := range []*spec.Names{s.Crash, s.Restart, s.Start, s.Stop} {
			if names != nil && slices.ContainsFunc(*names, isControllerManager) {
				return "it needs a kube-controller-manager, and there is none"
			}
		}
		for _, within := range s.Within() {
			if reason := obstacle(within); reason != "" {
				return reason
			}
		}
	}
	return ""
}

func isControllerManager(component spec.Text) bool {
	return component.Source() == controlplane.ControllerManager
}
