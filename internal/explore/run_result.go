package explore

import (
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

type runResult struct {
	result outcome.Result
	// events are the journal events from the first step to the end of the run.
	events []journal.Event
	names  *names
	// faults are the injected faults, with the number of applications.
	faults []fault.Status
	// end is the observation after the last step and the recovery.
	end observed.Observation
	// before are the observations before the end.
	before []observed.Observation
	// tornDown reports whether everything was deleted before the end. The end state is then
	// not compared with the clean run's.
	tornDown bool
	// found are the findings about the sandbox: a namespace that does not end, and a bystander that
	// has changed.
	found []checks.Finding
	// spoiled reports whether the sandbox cannot be reused.
	spoiled bool
	input   observed.Input
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

func (o *runResult) vanished() bool {
	end := o.end
	return o.err == nil && o.result.Outcome == outcome.Passed && end.Name != "" && !end.Active && end.After == end.Until && isEmpty(end)
}
