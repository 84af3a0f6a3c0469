package engine

import (
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/eventscope"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// addWord adds a word that identifies events of the scenario: the UID of an object,
// which is part of the names that COSI generates.
func (r *run) addWord(word string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if word != "" && !slices.Contains(r.words, word) {
		r.words = append(r.words, word)
	}
}

func (r *run) eventScope() eventscope.Scope {
	r.mu.Lock()
	defer r.mu.Unlock()
	alone, others := r.engine.isolation.state(r)
	return eventscope.Scope{
		Alone: alone, Others: others,
		Namespaces: append([]string{r.namespace}, r.namespaces...), Words: append(slices.Clone(r.words), r.scope),
	}
}

// ownScope is the scope without events that belong to the run only because it runs
// alone.
func (r *run) ownScope() eventscope.Scope { return r.eventScope().Own() }

// runsAlone reports whether a scenario stops, crashes or disturbs shared components. With the
// user's driver, all scenarios share its sidecar.
func (e *Engine) runsAlone(s *spec.Scenario) bool {
	return runsAlone(s) || e.ownDriver() && slices.ContainsFunc(s.Steps, affectsSomething)
}

// affectsSomething reports whether a step, or one inside it, disturbs a component.
func affectsSomething(s spec.Step) bool {
	return anyStep([]spec.Step{s}, func(s spec.Step) bool {
		return s.Inject != nil || s.Crash != nil || s.Restart != nil || s.Start != nil || s.Stop != nil
	})
}

func runsAlone(s *spec.Scenario) bool {
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
