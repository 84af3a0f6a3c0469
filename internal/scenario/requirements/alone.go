package requirements

import (
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// RunsAlone reports whether a scenario stops, crashes or disturbs shared components. With the
// user's driver, all scenarios share its sidecar.
func (e Emulator) RunsAlone(s *spec.Scenario) bool {
	return RunsAlone(s) || e.OwnDriver && slices.ContainsFunc(s.Steps, affectsSomething)
}

// affectsSomething reports whether a step, or one inside it, disturbs a component.
func affectsSomething(s spec.Step) bool {
	return spec.AnyStep([]spec.Step{s}, func(s spec.Step) bool {
		return s.Inject != nil || s.Crash != nil || s.Restart != nil || s.Start != nil || s.Stop != nil
	})
}

// RunsAlone reports whether a scenario stops, crashes or disturbs shared components,
// so that no other can run at the same time.
func RunsAlone(s *spec.Scenario) bool {
	joins := func(driver spec.Driver) bool { return driver.Socket != "" } // a driver's socket serves one sidecar at a time
	return len(s.Setup.Stopped) > 0 || slices.ContainsFunc(s.Setup.Drivers, joins) || slices.ContainsFunc(s.Steps, affectsShared)
}

func affectsShared(s spec.Step) bool {
	if affectsOthers(s.Inject) {
		return true
	}
	for _, names := range []*spec.Names{s.Crash, s.Restart, s.Start, s.Stop} {
		if names != nil && slices.ContainsFunc(*names, isShared) {
			return true
		}
	}
	for _, nested := range s.Within() {
		if slices.ContainsFunc(nested, affectsShared) {
			return true
		}
	}
	return false
}

// isShared reports whether all scenarios use a component. A component of the scenario's own driver,
// sidecar.${drivers.NAME}, is not shared.
func isShared(component spec.Text) bool {
	return !strings.Contains(component.Source(), "${drivers.")
}

// affectsOthers reports whether a fault can affect shared components, and not only the
// scenario's own driver.
func affectsOthers(f *spec.Fault) bool {
	return f != nil && (f.Outage != "" || f.Interfere != "" || isShared(f.ComponentText()) || strings.Contains(f.Component, "*"))
}
