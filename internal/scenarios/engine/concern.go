package engine

import (
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/naming"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/spec"
)

// concern adds a word by which events are known to be about the scenario: the UID
// of an object, which is part of the names that COSI makes.
func (r *run) concern(word string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if word != "" && !slices.Contains(r.words, word) {
		r.words = append(r.words, word)
	}
}

// concerns reports whether an event is about the scenario's own objects, or those
// that COSI has made for them. Namespace and scope are the same word, unless the
// engine has a namespace for all scenarios.
func (r *run) concerns(e journal.Event) bool {
	r.mu.Lock()
	words := append(slices.Clone(r.words), r.scope, r.namespace)
	r.mu.Unlock()
	return slices.ContainsFunc(words, func(word string) bool {
		return naming.Mentions(e.Operation.Subject, word) || naming.Mentions(e.Component, word)
	})
}

// runsAlone reports whether a scenario stops, crashes or disturbs what all
// scenarios share.
func runsAlone(s *spec.Scenario) bool {
	joins := func(driver spec.Driver) bool { return driver.Socket != "" } // one sidecar at a time may serve it
	return len(s.Setup.Stopped) > 0 || slices.ContainsFunc(s.Setup.Drivers, joins) || slices.ContainsFunc(s.Steps, disturbs)
}

func disturbs(s spec.Step) bool {
	if harmsOthers(s.Inject) {
		return true
	}
	for _, names := range []*spec.Names{s.Crash, s.Restart, s.Start, s.Stop} {
		if names != nil && slices.ContainsFunc(*names, shared) {
			return true
		}
	}
	for _, nested := range s.Within() {
		if slices.ContainsFunc(nested, disturbs) {
			return true
		}
	}
	return false
}

// shared reports whether a component is one that all scenarios use, and not one of
// a driver of the scenario's own: sidecar.${drivers.NAME}.
func shared(component spec.Text) bool {
	return !strings.Contains(component.Source(), "${drivers.")
}
