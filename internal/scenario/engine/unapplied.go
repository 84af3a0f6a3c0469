package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/scenario/idle"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// injection is an active fault of the scenario.
type injection struct {
	name string
	step *spec.Step
	mark uint64 // the last event before it
}

// unapplied returns a failure if a fault has ended that was applied to no operation: the scenario
// has passed without its subject. During exploration this is no failure, because other faults may
// prevent it; nor without a backend, where the store seam has no operations.
func (r *run) unapplied(i injection, ended fault.Status) error {
	if !r.lacksOperation(ended) {
		return nil
	}
	return &outcome.Failure{
		Step: i.step, Position: i.step.Position,
		Message: fmt.Sprintf("fault %q was applied to no operation: %s; correct its match, or set optional: true",
			i.step.Inject.Name, r.whyUnapplied(i, ended)),
	}
}

// lacksOperation reports whether a fault without an operation is a failure.
func (r *run) lacksOperation(f fault.Status) bool {
	options := r.engine.options
	if f.Applied > 0 || f.Optional || options.SkipOracles || options.NoBackend && f.Seam == journal.SeamStore {
		return false
	}
	return len(r.result.Failures) == 0 // otherwise the scenario ended before the fault's operation
}

// awaitFaults waits until each fault has an operation, or all components are idle: they may work on
// for the last step.
func (r *run) awaitFaults(ctx context.Context, faults []injection) {
	lacks := func(f fault.Status) bool {
		return slices.ContainsFunc(faults, func(i injection) bool { return i.name == f.Name }) && r.lacksOperation(f)
	}
	lacking := func() bool { return slices.ContainsFunc(r.engine.emulator.Faults().List(), lacks) }
	mark := r.engine.journal.Mark()
	if !lacking() {
		return
	}
	ctx, cancel := r.engine.timeouts.With(ctx, r.engine.timeouts.Scale(time.Duration(spec.DefaultTimeout)))
	var followed sync.WaitGroup
	followed.Go(func() {
		for range r.engine.journal.Follow(ctx, mark) {
			if !lacking() {
				cancel()
			}
		}
	})
	idle.New(r.engine.emulator).WaitSettled(ctx, r.ownScope, idle.SettleQuiet, r.probeLatency)
	cancel()
	followed.Wait()
}

// whyUnapplied describes the event that comes closest to the fault's match.
func (r *run) whyUnapplied(i injection, ended fault.Status) string {
	if ended.Matched > 0 {
		return fmt.Sprintf("it matched %d, and applies from number %d on", ended.Matched, max(ended.Nth, ended.Every))
	}
	var seen []string
	for _, e := range r.engine.journal.Since(i.mark) {
		is := e.Component + " " + e.Operation.String()
		if e.Seam == ended.Seam && journal.MatchOperation(ended.Operation, e.Operation.Name) &&
			r.ownScope().Concerns(e) && !slices.Contains(seen, is) {
			seen = append(seen, is)
		}
	}
	what := strings.TrimSpace(fmt.Sprintf("%s %s", ended.Seam, ended.Operation))
	if len(seen) == 0 {
		return fmt.Sprintf("the journal has no %q while it was in force", what)
	}
	const most = 3
	return fmt.Sprintf("of %q the journal has %s", what, strings.Join(seen[:min(most, len(seen))], ", "))
}
