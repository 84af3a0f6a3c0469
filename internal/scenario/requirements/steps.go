package requirements

import (
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// changesBackend reports whether a step changes the backend in a way that a driver has no call for.
func changesBackend(s spec.Step) bool {
	b := s.Backend
	return b != nil && (!b.CreateBucket.IsZero() || !b.DeleteAccount.IsZero() || b.Put != nil || b.DeleteObject != nil || b.SetPolicy != nil)
}

func usesToken(s spec.Step) bool { return s.S3 != nil && !s.S3.ServiceAccount.IsZero() }

func disturbsStore(s spec.Step) bool {
	return s.Inject != nil && s.Inject.Seam == journal.SeamStore || disturbs(s, vocabulary.Store)
}

// disturbsDriver reports whether a step stops the driver, or injects a fault at its calls.
func disturbsDriver(s spec.Step) bool {
	injected := s.Inject != nil && isComponent(s.Inject.ComponentText().Source(), vocabulary.Driver)
	return injected || disturbs(s, vocabulary.Driver)
}

func disturbs(s spec.Step, component string) bool {
	for _, names := range []*spec.Names{s.Crash, s.Restart, s.Start, s.Stop} {
		if names != nil && slices.ContainsFunc(*names, func(name spec.Text) bool { return isComponent(name.Source(), component) }) {
			return true
		}
	}
	return false
}

// isComponent reports whether a name means a component, or the same component of a driver of the
// setup.
func isComponent(name, component string) bool {
	first, _, _ := strings.Cut(name, ".")
	return first == component
}

func verbIs(verb string) func(spec.Step) bool {
	return func(s spec.Step) bool { return s.Verb == verb }
}

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

func requiresLease(s spec.Step) bool { return s.Inject != nil && s.Inject.LoseLease != 0 }

func isControlPlane(component spec.Text) bool {
	return slices.Contains([]string{vocabulary.Etcd, vocabulary.APIServer, vocabulary.ControllerManager}, component.Source())
}
