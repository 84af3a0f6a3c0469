package explore

import (
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/emulator/oracle"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/engine"
)

// runResult is what one run has shown.
type runResult struct {
	result engine.Result
	// events are those from the first step until the run was over.
	events []journal.Event
	names  *names
	// faults are what was in force, and how often it was applied.
	faults []fault.Status
	// end is the moment after the last step, when the faults were over and time was
	// given to recover.
	end oracle.Observation
	// input is what the standing oracles judge.
	input  oracle.Input
	state  State
	counts Counts
	// steps is how long the steps took, without what came before and after, and ended
	// when they were over.
	steps time.Duration
	ended time.Time
	err   error
}

// open returns the events, in the order in which they began, of the time in which
// faults are in force: until the last step is over, after which the engine cleans up.
func (o *runResult) open() []journal.Event {
	events := inOrder(o.events)
	after := slices.IndexFunc(events, func(e journal.Event) bool { return !o.ended.IsZero() && e.Time.After(o.ended) })
	if after < 0 {
		return events
	}
	return events[:after]
}

// reached reports whether every fault was applied.
func (o *runResult) reached() bool {
	for _, f := range o.faults {
		if f.Applied == 0 {
			return false
		}
	}
	return true
}

// vanished reports whether nothing was left when the last step had ended.
func (o *runResult) vanished() bool {
	end := o.end
	return o.err == nil && o.result.Outcome == engine.Passed && end.Name != "" && !end.Active && end.After == end.Until && isEmpty(end)
}
