package runner

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// Runner runs scenarios on one emulator.
type Runner struct {
	Engine *engine.Engine
	// Journal is the emulator's journal.
	Journal *journal.Journal
	// Parallel is the number of concurrent scenarios; less than 1 means 1.
	Parallel int
	// Version is the program's version, for the report.
	Version string
}

// Run runs scenarios and reports them in the given order. Scenarios that disturb shared components
// run after the others. When the context ends, Run interrupts and cleans up the running ones; the
// others are broken, too, because they have no result.
func (r *Runner) Run(ctx context.Context, scenarios []*spec.Scenario) report.Report {
	started := time.Now()
	outcomes := make([]report.Scenario, len(scenarios))
	together, alone := split(ctx, r.Engine, scenarios)
	one := func(i int) { outcomes[i] = r.run(ctx, scenarios[i]) }
	inParallel(max(r.Parallel, 1), together, one)
	inParallel(1, alone, one)
	return report.New(r.Version, started, time.Since(started), outcomes)
}

// split returns the indices of the scenarios that can run at the same time, and of the others.
func split(ctx context.Context, e *engine.Engine, scenarios []*spec.Scenario) (together, alone []int) {
	for i, s := range scenarios {
		if ctx.Err() == nil && e.RunsAlone(s) {
			alone = append(alone, i)
		} else {
			together = append(together, i)
		}
	}
	return together, alone
}

// inParallel calls do with every number, a few at a time, and returns when all are done.
func inParallel(workers int, numbers []int, do func(int)) {
	queue := make(chan int)
	var all sync.WaitGroup
	for range min(workers, len(numbers)) {
		all.Go(func() {
			for i := range queue {
				do(i)
			}
		})
	}
	for _, i := range numbers {
		queue <- i
	}
	close(queue)
	all.Wait()
}

// run runs a scenario, and copies its events before the journal drops them.
func (r *Runner) run(ctx context.Context, s *spec.Scenario) report.Scenario {
	if ctx.Err() != nil {
		return report.NewScenario(interrupted(ctx, s), nil)
	}
	return reported(r.Engine.Run(ctx, s), r.Journal)
}

func reported(result outcome.Result, j *journal.Journal) report.Scenario {
	return report.NewScenario(result, result.Events(j, result.Scope.Own()))
}

func interrupted(ctx context.Context, s *spec.Scenario) outcome.Result {
	failure := outcome.Failure{Position: s.Position, Message: "not started: " + context.Cause(ctx).Error(), Broken: true}
	if errors.Is(context.Cause(ctx), context.Canceled) {
		failure.Message = "not started: the run was interrupted"
	}
	return outcome.Result{Scenario: s, Outcome: outcome.Broken, Started: time.Now(), Failures: []outcome.Failure{failure}}
}
