package explore

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
)

// Confirmation reruns a group: at most this many of its cases, each this many times.
const (
	confirmedCases = 3
	confirmingRuns = 2
)

func (e *explorer) confirmAll(ctx context.Context) error {
	errs := make([]error, len(e.report.Findings))
	var all sync.WaitGroup
	for i := range e.report.Findings {
		all.Go(func() { errs[i] = e.confirm(ctx, &e.report.Findings[i]) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// confirm reruns cases of a group until one has the same finding. That case then
// represents the group.
func (e *explorer) confirm(ctx context.Context, g *Group) error {
	return e.shared.pool.lend(ctx, func(w *sandbox) (_ *sandbox, err error) {
		for _, seen := range g.outcomes[:min(len(g.outcomes), confirmedCases)] {
			runs := 1
			var last *runResult
			for ; runs <= confirmingRuns && !g.Confirmed; runs++ {
				again := caseResult{Case: seen.Case}
				if w, err = e.rerunCase(ctx, w, &again); err != nil {
					return w, err
				}
				last = again.observed
				g.Confirmed = slices.ContainsFunc(again.Findings, seen.has)
			}
			if g.Runs == 0 || g.Confirmed {
				g.Runs = runs
			}
			if g.Confirmed {
				g.represent(seen.shownBy(last))
				break
			}
		}
		return w, nil
	})
}

// has reports whether a finding has the oracle of the run's first.
func (c caseResult) has(f checks.Finding) bool { return f.Oracle == c.Findings[0].Oracle }

// shownBy returns the result with the confirming run, if its own belongs to an earlier exploration.
func (c caseResult) shownBy(confirming *runResult) caseResult {
	if c.observed == nil {
		c.observed = confirming
	}
	return c
}

// rerunCase runs a case once more. A case without faults is the clean run.
func (e *explorer) rerunCase(ctx context.Context, w *sandbox, result *caseResult) (*sandbox, error) {
	if len(result.Case) > 0 {
		w, err := e.try(ctx, w, result)
		return w, errors.Join(err, ctx.Err())
	}
	o := w.run(ctx, e.scenario, []fault.Fault{probe}, nil)
	if ctx.Err() != nil {
		return w, ctx.Err()
	}
	result.Findings, result.observed = judge(o, o), o
	return e.resetAfter(ctx, w, o)
}
