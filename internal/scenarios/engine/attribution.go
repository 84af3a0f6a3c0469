package engine

import (
	"slices"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/naming"
)

// Concerns reports whether an event between From and To is about the scenario: its
// objects, those that COSI has made for them, its drivers, what the components have
// logged about any of these, or the life of the components that all share.
func (r *Result) Concerns(e journal.Event) bool {
	switch e.Seam {
	case journal.SeamProcess:
		if slices.Contains(sharedComponents, e.Component) {
			return true
		}
	case journal.SeamLog:
		return r.named(e.Message) || r.named(e.Component)
	default:
	}
	return r.named(e.Operation.Subject) || r.named(e.Component)
}

// sharedComponents are those that every emulator has.
var sharedComponents = []string{
	emulator.ComponentController, emulator.ComponentSidecar, emulator.ComponentDriver, emulator.ComponentStore, emulator.ComponentGCS,
}

func (r *Result) named(text string) bool {
	return slices.ContainsFunc(r.Words, func(word string) bool { return naming.Mentions(text, word) })
}
