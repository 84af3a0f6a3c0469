package runner

import (
	"context"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// Restarting runs scenarios on several emulators, each of which starts in the place of the one before: a scenario
// begins on one, and ends on the next one. The caller stops and starts the emulators between the calls of Continue.
type Restarting struct {
	// Scenarios are in the order of the report. Parallel is the number of scenarios between two restarts.
	Scenarios []*spec.Scenario
	Parallel  int

	started  time.Time
	outcomes []report.Scenario
	together []int // not begun yet; they can be open at the same time
	alone    []int
	open     map[int]*engine.Unfinished
}

// Continue ends the scenarios that are open, and begins others on the same engine. It returns whether any are open: if so, the
// next call must have the engine of the emulator that starts in the place of this one.
func (r *Restarting) Continue(ctx context.Context, e *engine.Engine, j *journal.Journal) (more bool) {
	if r.prepare() {
		r.together, r.alone = split(ctx, e, r.Scenarios)
	}
	r.end(ctx, e, j)
	if ctx.Err() == nil {
		r.begin(ctx, e, r.next())
	}
	return len(r.open) > 0
}

// prepare returns whether the run begins with it.
func (r *Restarting) prepare() bool {
	if r.outcomes != nil {
		return false
	}
	r.started, r.outcomes = time.Now(), make([]report.Scenario, len(r.Scenarios))
	return true
}

func (r *Restarting) end(ctx context.Context, e *engine.Engine, j *journal.Journal) {
	var ending []int
	for i, u := range r.open {
		u.ContinueOn(ctx, e)
		ending = append(ending, i)
	}
	results := make([]report.Scenario, len(ending))
	inParallel(max(r.Parallel, 1), upTo(len(ending)), func(n int) { results[n] = reported(r.open[ending[n]].End(ctx), j) })
	for n, i := range ending {
		r.outcomes[i] = results[n]
	}
	r.open = nil
}

// next returns the scenarios to begin: as many as can be open at the same time.
func (r *Restarting) next() []int {
	from := &r.together
	n := max(r.Parallel, 1)
	if len(r.together) == 0 {
		from, n = &r.alone, 1
	}
	n = min(n, len(*from))
	next := (*from)[:n]
	*from = (*from)[n:]
	return next
}

func (r *Restarting) begin(ctx context.Context, e *engine.Engine, scenarios []int) {
	begun := make([]*engine.Unfinished, len(scenarios))
	inParallel(len(scenarios), upTo(len(scenarios)), func(n int) { begun[n] = e.Begin(ctx, r.Scenarios[scenarios[n]]) })
	r.open = map[int]*engine.Unfinished{}
	for n, i := range scenarios {
		r.open[i] = begun[n]
	}
}

func upTo(n int) []int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}

// Report returns the report of all scenarios, after a call of Continue has returned false. A scenario that never began is broken.
func (r *Restarting) Report(ctx context.Context, version string) report.Report {
	r.prepare()
	for i, s := range r.Scenarios {
		if r.outcomes[i].Name == "" {
			r.outcomes[i] = report.NewScenario(interrupted(ctx, s), nil)
		}
	}
	return report.New(version, r.started, time.Since(r.started), r.outcomes)
}
