package explore

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/oracle"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

type runResult struct {
	result outcome.Result
	// events are the journal events from the first step to the end of the run.
	events []journal.Event
	names  *names
	// faults are the injected faults, with the number of applications.
	faults []fault.Status
	// end is the observation after the last step and the recovery.
	end oracle.Observation
	// before are the observations before the end.
	before []oracle.Observation
	// tornDown reports whether everything was deleted before the end. The end state is then
	// not compared with the clean run's.
	tornDown bool
	// found are the findings about the sandbox: a namespace that does not end, and a bystander that
	// has changed.
	found []oracle.Finding
	// spoiled reports whether the sandbox cannot be reused.
	spoiled bool
	input   oracle.Input
	state   State
	counts  Counts
	// timeouts is the number of calls without an answer in time.
	timeouts int
	// steps is the duration of the steps, without setup and cleanup, and ended the time of their
	// end.
	steps time.Duration
	ended time.Time
	// exitedEarly reports whether the steps ended because all components were idle.
	exitedEarly bool
	err         error
}

// open returns the events during which faults are active, by start: up to the end of the last step.
// Then the engine cleans up.
func (o *runResult) open() []journal.Event {
	events := inOrder(o.events)
	after := slices.IndexFunc(events, func(e journal.Event) bool { return !o.ended.IsZero() && e.Time.After(o.ended) })
	if after < 0 {
		return events
	}
	return events[:after]
}

func (o *runResult) injected() []fault.Status {
	return slices.DeleteFunc(slices.Clone(o.faults), func(f fault.Status) bool { return f.Name == probe.Name })
}

func (o *runResult) reached() bool {
	for _, f := range o.faults {
		if f.Applied == 0 && !f.Optional || f.Interfere != "" && !o.interfered(f.Name) {
			return false
		}
	}
	return true
}

// line renders an event in a line, without values that differ between runs, except its time.
func (o *runResult) line(e journal.Event, after time.Duration) string {
	text := fmt.Sprintf("+%.3fs %s %s %s -> %s", after.Seconds(), e.Component, e.Seam, e.Operation, e.Outcome)
	if e.Message != "" {
		text += ": " + strings.Join(strings.Fields(e.Message), " ")
	}
	if e.Fault != "" && e.Fault != probe.Name {
		text += " [fault: " + e.Fault + "]"
	}
	return o.names.in(text)
}

// key names an operation of a component identically in every run.
func (o *runResult) key(e journal.Event) string {
	return fmt.Sprintf("%s %s %s", o.names.in(e.Component), e.Seam, o.names.in(e.Operation.String()))
}

func (o *runResult) interfered(name string) bool {
	return slices.ContainsFunc(o.events, func(e journal.Event) bool {
		return e.Component == vocabulary.Administrator && e.Fault == name && !e.Failed()
	})
}
