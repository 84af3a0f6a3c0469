package runner

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/report"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/spec"
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
// run are broken off and cleaned up, and those that have not begun are broken, too:
// nothing is known of them.
func (r *Runner) Run(ctx context.Context, scenarios []*spec.Scenario) report.Report {
	started := time.Now()
	outcomes := make([]report.Scenario, len(scenarios))
	var together, alone []int
	for i, s := range scenarios {
		if engine.RunsAlone(s) {
			alone = append(alone, i)
		} else {
			together = append(together, i)
		}
	}
	one := func(i int) { outcomes[i] = r.one(ctx, scenarios[i]) }
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

// one runs a scenario, and takes from the journal what concerns it before the
// journal drops it.
func (r *Runner) one(ctx context.Context, s *spec.Scenario) report.Scenario {
	if ctx.Err() != nil {
		return report.Of(interrupted(ctx, s), nil)
	}
	result := r.Engine.Run(ctx, s)
	shown := evidence(result)
	return report.Of(result, slices.DeleteFunc(r.Journal.Since(result.From-1), func(e journal.Event) bool {
		return e.Seq > result.To || !result.Concerns(e) && !slices.Contains(shown, e.Seq)
	}))
}

// evidence are the numbers of the events that failures name: what an oracle finds
// may be of others.
func evidence(result engine.Result) []uint64 {
	var numbers []uint64
	for _, failure := range result.Failures {
		numbers = append(numbers, failure.Events...)
	}
	return numbers
}

// interrupted is the result of a scenario that has not begun.
func interrupted(ctx context.Context, s *spec.Scenario) engine.Result {
	failure := engine.Failure{Position: s.Position, Message: "it has not begun: " + context.Cause(ctx).Error(), Broken: true}
	if errors.Is(context.Cause(ctx), context.Canceled) {
		failure.Message = "it has not begun: the run was interrupted"
	}
	return engine.Result{Scenario: s, Outcome: engine.Broken, Started: time.Now(), Failures: []engine.Failure{failure}}
}
