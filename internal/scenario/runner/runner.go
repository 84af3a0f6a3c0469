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
	// Engine runs each of them.
	Engine *engine.Engine
	// Journal is that of the emulator.
	Journal *journal.Journal
	// Parallel is how many run at the same time; less than 1 means 1.
	Parallel int
	// Version is that of the program, for the report.
	Version string
}

// Run runs scenarios and reports, in the order in which they are given. Those that
// disturb what all share come after the others. When the context ends, those that
// run are interrupted and cleaned up, and those that have not started are broken, too:
// nothing is known of them.
func (r *Runner) Run(ctx context.Context, scenarios []*spec.Scenario) report.Report {
	started := time.Now()
	outcomes := make([]report.Scenario, len(scenarios))
	var together, alone []int
	for i, s := range scenarios {
		if ctx.Err() == nil && r.Engine.RunsAlone(s) {
			alone = append(alone, i)
		} else {
			together = append(together, i)
		}
	}
	one := func(i int) { outcomes[i] = r.run(ctx, scenarios[i]) }
	inParallel(max(r.Parallel, 1), together, one)
	inParallel(1, alone, one)
	return report.New(r.Version, started, time.Since(started), outcomes)
}

// inParallel calls do with every number, a few at a time, and returns when all are
// done.
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

// run runs a scenario, and takes from the journal what concerns it before the
// journal drops it.
func (r *Runner) run(ctx context.Context, s *spec.Scenario) report.Scenario {
	if ctx.Err() != nil {
		return report.NewScenario(interrupted(ctx, s), nil)
	}
	result := r.Engine.Run(ctx, s)
	return report.NewScenario(result, result.Events(r.Journal, result.Scope.Own()))
}

// interrupted is the result of a scenario that was not started.
func interrupted(ctx context.Context, s *spec.Scenario) outcome.Result {
	failure := outcome.Failure{Position: s.Position, Message: "not started: " + context.Cause(ctx).Error(), Broken: true}
	if errors.Is(context.Cause(ctx), context.Canceled) {
		failure.Message = "not started: the run was interrupted"
	}
	return outcome.Result{Scenario: s, Outcome: outcome.Broken, Started: time.Now(), Failures: []outcome.Failure{failure}}
}
