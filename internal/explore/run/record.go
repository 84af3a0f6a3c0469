package run

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// Record is the record of a run, with the values that the oracles of exploration judge.
type Record struct {
	// Result is the outcome of the scenario.
	Result outcome.Result
	// Events are the journal events from the first step to the end of the run.
	Events []journal.Event
	// Names replaces the values in the events that differ between runs.
	Names *Names
	// Faults are the injected faults, with the number of applications.
	Faults []fault.Status
	// End is the observation after the last step and the recovery.
	End observed.Observation
	// Before are the observations before the end.
	Before []observed.Observation
	// TornDown reports whether everything was deleted before the end. The end state is then
	// not compared with the clean run's.
	TornDown bool
	// Found are the findings about the sandbox: a namespace that does not end, and a bystander that
	// has changed.
	Found []checks.Finding
	// Baseline has the findings that no fault caused, in the clean run that others are compared with;
	// nil: there are none.
	Baseline *Baseline
	// Spoiled reports whether the sandbox cannot be reused.
	Spoiled bool
	// Input is the input of the standing oracles. State and Counts are compared with the clean run.
	Input  observed.Input
	State  State
	Counts Counts
	// Timeouts is the number of calls without an answer in time.
	Timeouts int
	// Steps is the duration of the steps, without setup and cleanup, and Ended the time of their
	// end.
	Steps time.Duration
	Ended time.Time
	// ExitedEarly reports whether the steps ended because all components were idle.
	ExitedEarly bool
	// Err is the error of the run, apart from the scenario.
	Err error
}

// Open returns the events during which faults are active, by start: up to the end of the last step.
// Then the engine cleans up.
func (r *Record) Open() []journal.Event {
	events := InOrder(r.Events)
	after := slices.IndexFunc(events, func(e journal.Event) bool { return !r.Ended.IsZero() && e.Time.After(r.Ended) })
	if after < 0 {
		return events
	}
	return events[:after]
}

// Withholds reports whether a fault of the scenario itself concerns watch events of a component, as a point
// names it.
func (r *Record) Withholds(component string) bool {
	return slices.ContainsFunc(r.Events, func(e journal.Event) bool {
		return strings.HasPrefix(e.Operation.Name, journal.EventPrefix) && HasFault(e) &&
			r.Names.Pattern(e.Component) == component
	})
}

// Injected returns the faults without the probe.
func (r *Record) Injected() []fault.Status {
	return slices.DeleteFunc(slices.Clone(r.Faults), func(f fault.Status) bool { return f.Name == Probe.Name })
}

// Reached reports whether every fault was applied, and every interference changed something.
func (r *Record) Reached() bool {
	for _, f := range r.Faults {
		if f.Applied == 0 && !f.Optional || f.Interfere != "" && !r.interfered(f.Name) {
			return false
		}
	}
	return true
}

// Line renders an event in a line, without values that differ between runs, except its time.
func (r *Record) Line(e journal.Event, after time.Duration) string {
	text := fmt.Sprintf("+%.3fs %s %s %s -> %s", after.Seconds(), e.Component, e.Seam, e.Operation, e.Outcome)
	if e.Message != "" {
		text += ": " + strings.Join(strings.Fields(e.Message), " ")
	}
	if HasFault(e) {
		text += " [fault: " + e.Fault + "]"
	}
	return r.Names.In(text)
}

// Key names an operation of a component identically in every run.
func (r *Record) Key(e journal.Event) string {
	return fmt.Sprintf("%s %s %s", r.Names.In(e.Component), e.Seam, r.Names.In(e.Operation.String()))
}

// slowness is how many times longer the steps took than in the clean run, if events lag. As many times a
// component repeats what the scenario's own faults prevent.
func (r *Record) slowness(clean *Record) int {
	lags := slices.ContainsFunc(r.Faults, func(f fault.Status) bool { return f.Lag })
	if !lags || clean.Steps <= 0 {
		return 1
	}
	return 1 + int(r.Steps/clean.Steps)
}

func (r *Record) interfered(name string) bool {
	return slices.ContainsFunc(r.Events, func(e journal.Event) bool {
		return e.Component == vocabulary.Administrator && e.Fault == name && !e.Failed()
	})
}
