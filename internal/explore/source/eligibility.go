package source

import (
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

const labelExplore, neverExplored = "explore", "never"

// unfit returns why a scenario cannot be explored, or "" if it can.
func unfit(s *spec.Scenario) string {
	if s.Labels[labelExplore] == neverExplored {
		return "it has the label " + labelExplore + ": " + neverExplored
	}
	if s.StartsOwn() {
		return "it starts from a snapshot, or runs Pods, and sandboxes start empty, without a node"
	}
	return ineligible(s.Steps)
}

// ineligible returns why steps cannot be explored, or "" if they can. Steps must not
// require a feature that a sandbox lacks, or change state that all runs share.
func ineligible(steps []spec.Step) string {
	for i := range steps {
		s := &steps[i]
		if s.Call != nil {
			return "a step calls the driver directly, without the retries of a sidecar"
		}
		if reason := changesNamespaces(s); reason != "" {
			return reason
		}
		for _, names := range []*spec.Names{s.Crash, s.Restart, s.Start, s.Stop} {
			if names != nil && slices.ContainsFunc(*names, isControllerManager) {
				return "a step requires kube-controller-manager, and sandboxes do not run it"
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

// changesNamespaces returns why a step that deletes or creates a namespace cannot be explored.
func changesNamespaces(s *spec.Step) string {
	const kind = "Namespace"
	switch {
	case s.Delete != nil && slices.ContainsFunc(*s.Delete, func(r spec.Reference) bool { return r.Kind == kind }):
		return "a step deletes a namespace, and all runs share one namespace"
	case s.Apply != nil && slices.ContainsFunc(*s.Apply, func(o spec.Object) bool { return o.Kind() == kind }):
		return "a step makes a namespace, and sandboxes do not run the controller that ends it"
	default:
		return ""
	}
}

func isControllerManager(component spec.Text) bool {
	return component.Source() == controlplane.ControllerManager
}
