package engine

import (
	"slices"

	"github.com/cosi-emu/cosi-emu/scenarios/document"
)

// lacks says why a scenario cannot be run here: what it needs that this emulator,
// or somebody else's cluster, has not. It is empty if nothing is missing.
func (e *Engine) lacks(s *document.Scenario) string {
	for _, need := range []struct {
		missing bool
		reason  string
		of      func(document.Step) bool
	}{
		{!e.options.AllowExec, "it runs a program, which --allow-exec would allow", verbIs("exec")},
		{e.emulator.Store() == nil, "it looks into the backend, and only that of the fake driver can be seen", verbIs("backend")},
		{e.emulator.DriverEndpoint() == "", "it calls a driver, and there is none", verbIs("call")},
	} {
		if need.missing && anyStep(s.Steps, need.of) {
			return need.reason
		}
	}
	ownFake := func(d document.Driver) bool { return d.Socket == "" }
	if e.emulator.Store() == nil && slices.ContainsFunc(s.Setup.Drivers, ownFake) {
		return "it has fake drivers of its own, which need the emulator's store"
	}
	return ""
}

// RunsAlone reports whether a scenario stops, crashes or disturbs what all
// scenarios share, so that no other can run beside it.
func RunsAlone(s *document.Scenario) bool { return runsAlone(s) }

func verbIs(verb string) func(document.Step) bool {
	return func(s document.Step) bool { return s.Verb == verb }
}

// anyStep looks through steps, and those within them.
func anyStep(steps []document.Step, holds func(document.Step) bool) bool {
	for _, s := range steps {
		if holds(s) {
			return true
		}
		for _, within := range append(s.Nested(), s.Included) {
			if anyStep(within, holds) {
				return true
			}
		}
	}
	return false
}
