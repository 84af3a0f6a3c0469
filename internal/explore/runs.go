package explore

import (
	"context"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/explore/cause"
	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/explore/sandbox"
)

// attempts limits the runs of a case that does not reach all its points. The order between
// components differs between runs.
const attempts = 3

// runAll runs the incomplete cases in all sandboxes.
func (e *explorer) runAll(ctx context.Context, phase string, cases []plan.Case, pairing bool) error {
	if len(cases) == 0 {
		return nil
	}
	p := &progress{explorer: e, phase: phase, total: len(cases), began: time.Now()}
	queue := make(chan plan.Case)
	results := make(chan cause.Result)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var workers sync.WaitGroup
	for range e.options.Sandboxes {
		workers.Go(func() {
			if err := e.work(ctx, queue, results); err != nil {
				cancel(err)
			}
		})
	}
	go func() { // ends with the queue, or with the context
		defer close(results)
		defer workers.Wait()
		e.feed(ctx, queue, cases, p)
	}()
	for result := range results {
		e.take(ctx, result, pairing)
		p.ended(result)
	}
	if left := p.left(); left > 0 {
		e.report.Untried = append(e.report.Untried, Untried{Phase: phase, Cases: left, Of: p.total})
		if e.shared.ends.passed() {
			e.report.Budget = e.options.Budget
		}
	}
	return context.Cause(ctx)
}

func (e *explorer) feed(ctx context.Context, queue chan<- plan.Case, cases []plan.Case, p *progress) {
	defer close(queue)
	for _, c := range cases {
		if e.done.Has(c) {
			p.skip()
			continue
		}
		if e.shared.ends.passed() {
			return
		}
		select {
		case queue <- c:
		case <-ctx.Done():
			return
		}
	}
}

func (e *explorer) work(ctx context.Context, queue <-chan plan.Case, results chan<- cause.Result) error {
	return e.shared.pool.Lend(ctx, func(w *sandbox.Sandbox) (_ *sandbox.Sandbox, err error) {
		for c := range queue {
			result := cause.Result{Case: c}
			for !result.Reached && result.Runs < attempts && ctx.Err() == nil {
				if w, err = e.try(ctx, w, &result); err != nil {
					return w, err
				}
			}
			if ctx.Err() == nil {
				results <- result
			}
		}
		return w, nil
	})
}

// try runs a case once, and returns a clean sandbox.
func (e *explorer) try(ctx context.Context, w *sandbox.Sandbox, result *cause.Result) (*sandbox.Sandbox, error) {
	began, usage := time.Now(), e.shared.starvation.Read()
	o := w.RunCase(ctx, e.scenario, result.Case.Faults(), e.clean, e.options.Pairs && e.options.Interference)
	if ctx.Err() != nil {
		return w, nil //nolint:nilerr // the caller checks the context
	}
	result.Runs++
	result.Starved = e.shared.starvation.Read().Since(usage).Starved(time.Since(began))
	result.Reached, result.Observed = o.Reached(), o
	result.Reasons = union(result.Reasons, run.Reasons(o.Events))
	result.Findings = run.Judge(o, e.clean)
	left, err := w.Reset(ctx, o)
	result.Took += time.Since(began)
	if len(result.Findings) > 0 || left && !e.leaves {
		result.Reached = true
		result.Explanation = cause.Explain(o, e.clean, result.Findings)
	}
	return e.shared.pool.ReplaceUnclean(ctx, w, err)
}

func (e *explorer) take(ctx context.Context, result cause.Result, pairing bool) {
	e.report.Runs += result.Runs
	switch {
	case len(result.Case) > 1:
		e.report.Combined++
	case result.Reached:
		e.report.Tried++
	}
	if !result.Reached {
		e.report.Unreached = append(e.report.Unreached, result.Case.String())
	}
	if len(result.Findings) > 0 {
		e.found = append(e.found, result)
	}
	if pairing && result.Reached && len(result.Findings) == 0 {
		e.pair(result)
	}
	e.report.Reasons = union(e.report.Reasons, result.Reasons)
	e.done.Add(ctx, result)
}
