package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/scenario/notes"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/timeout"
)

// explain adds the circumstances to a failure by a timeout: operations in flight, ended processes,
// a starved machine. The mark is the last event before the step.
func (r *run) explain(ctx context.Context, err error, mark uint64) error {
	failure, ok := errors.AsType[*outcome.Failure](err)
	limit, timedOut := errors.AsType[*timeout.Error](context.Cause(ctx))
	if !ok || !timedOut {
		return err
	}
	scope := r.eventScope()
	concerns := func(e journal.Event) bool { return !scope.Concerns(e) }
	events := slices.DeleteFunc(r.engine.journal.Since(r.result.From-1), concerns)
	inStep := slices.DeleteFunc(slices.Clone(events), func(e journal.Event) bool { return e.Seq <= mark })
	pending := slices.DeleteFunc(r.engine.journal.Pending(), concerns)
	driver := notes.Driver(pending, inStep)
	if len(driver) > 0 {
		r.mu.Lock()
		r.unresponsive = true
		r.mu.Unlock()
	}
	denied := notes.Denials(r.engine.journal.Since(0)) // also when a component started
	failure.Notes = slices.Concat(failure.Notes, driver, notes.Requests(pending), notes.Processes(events, mark), denied,
		r.stopped(), notes.Machine(limit))
	return err
}

// stopped lists the scenario's components that are stopped.
func (r *run) stopped() []string {
	var stopped []string
	for _, c := range r.engine.emulator.Components() {
		if state, _ := c.State(); state == emulator.StateStopped && r.eventScope().Names(c.Name()) {
			stopped = append(stopped, c.Name()+" is stopped")
		}
	}
	return stopped
}
