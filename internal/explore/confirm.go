package explore

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/internal/explore/cause"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/explore/sandbox"
)

// Confirmation reruns a group: at most this many of its cases, each this many times.
const (
	confirmedCases = 3
	confirmingRuns = 2
)

func (e *explorer) confirmAll(ctx context.Context) error {
	e.shared.pool.ForgetStates()
	errs := make([]error, len(e.report.Findings))
	var all sync.WaitGroup
	for i := range e.report.Findings {
		if e.report.Findings[i].Known != nil {
			continue
		}
		all.Go(func() { errs[i] = e.confirm(ctx, &e.report.Findings[i]) })
	}
	all.Wait()
	// A finding that occurred once may be an effect of other work on the machine.
	slices.SortStableFunc(e.report.Findings, func(a, b cause.Group) int { return cmp.Compare(rank(a), rank(b)) })
	return errors.Join(errs...)
}

// rank is lowest for a finding that was seen again, and lower for one of an earlier scenario than for one that was not.
func rank(g cause.Group) int {
	switch {
	case g.Confirmed:
		return 0
	case g.Known != nil:
		return 1
	default:
		return 2
	}
}

// confirm reruns cases of a group until one has the same finding. That case then
// represents the group.
func (e *explorer) confirm(ctx context.Context, g *cause.Group) error {
	return e.shared.pool.Lend(ctx, func(w *sandbox.Sandbox) (_ *sandbox.Sandbox, err error) {
		for _, seen := range g.Results[:min(len(g.Results), confirmedCases)] {
			runs := 1
			var last *run.Record
			for ; runs <= confirmingRuns && !g.Confirmed; runs++ {
				again := cause.Result{Case: seen.Case}
				if w, err = e.rerunCase(ctx, w, &again); err != nil {
					return w, err
				}
				last = again.Observed
				g.Confirmed = slices.ContainsFunc(again.Findings, seen.Has)
			}
			if g.Runs == 0 || g.Confirmed {
				g.Runs = runs
			}
			if g.Confirmed {
				g.Represent(seen.ShownBy(last))
				break
			}
		}
		g.MarkStarved()
		return w, nil
	})
}

// rerunCase runs a case once more. A case without faults is the clean run.
func (e *explorer) rerunCase(ctx context.Context, w *sandbox.Sandbox, result *cause.Result) (*sandbox.Sandbox, error) {
	if len(result.Case) > 0 {
		w, err := e.try(ctx, w, result)
		return w, errors.Join(err, ctx.Err())
	}
	o := w.Run(ctx, e.scenario, []fault.Fault{run.Probe}, nil)
	if ctx.Err() != nil {
		return w, ctx.Err()
	}
	result.Findings, result.Observed = run.Judge(o, o), o
	return e.shared.pool.ResetAfter(ctx, w, o)
}
