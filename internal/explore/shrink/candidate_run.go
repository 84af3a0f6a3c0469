package shrink

import (
	"context"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/explore/cause"
	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/explore/sandbox"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// Timeouts of the steps of a candidate that sets none. Without faults, the timeout is a
// multiple of the duration of all steps in the last passed run. With faults, it is the
// time that components need to recover. Most runs exit early.
const (
	cleanFactor     = 4
	cleanPatience   = 500 * time.Millisecond
	faultedPatience = 3 * time.Second
)

// fails reports whether a candidate passes without its faults, and fails by the oracle
// with them. A candidate without faults must pass its steps.
func (s *shrinker) fails(ctx context.Context, c candidate, text string) (fails bool, err error) {
	if _, err := c.tree.scenario(); err != nil {
		return false, nil //nolint:nilerr // the candidate is not a valid scenario
	}
	err = s.options.Pool.Lend(ctx, func(w *sandbox.Sandbox) (*sandbox.Sandbox, error) {
		t := &candidateRun{shrinker: s, sandbox: w, tree: c.tree}
		found, err := t.findings(ctx, c.faults, text)
		fails = slices.ContainsFunc(found, s.finds)
		return t.sandbox, err
	})
	return fails && err == nil, err
}

func (s *shrinker) finds(f checks.Finding) bool { return f.Oracle == s.group.Oracle }

type candidateRun struct {
	*shrinker

	sandbox *sandbox.Sandbox
	tree    *tree
}

// findings returns the findings of a candidate, or none if the candidate does not pass without its
// faults. If no fault is required, its steps may only fail like the whole scenario's.
func (r *candidateRun) findings(ctx context.Context, faults plan.Case, text string) ([]checks.Finding, error) {
	if len(faults) == 0 {
		o, err := r.run(ctx, nil, nil)
		if err != nil || run.BrokenError(o) != nil {
			return nil, err
		}
		found := run.Judge(o, o)
		if o.Result.Outcome != outcome.Passed && !r.failsAlike(o, found) {
			return nil, nil
		}
		return found, nil
	}
	clean, err := r.cleanOf(ctx, text)
	if err != nil || clean == nil {
		return nil, err
	}
	o, err := r.run(ctx, faults, clean)
	if err != nil || !o.Reached() {
		return nil, err
	}
	return run.Judge(o, clean), nil
}

// failsAlike reports whether the first finding of a run without faults has the object and the cause
// of the group. A scenario without the step that creates an object fails, too.
func (s *shrinker) failsAlike(o *run.Record, found []checks.Finding) bool {
	at := slices.IndexFunc(found, s.finds)
	if at < 0 || s.group.Subject != found[at].Subject {
		return false
	}
	got := cause.Explain(o, o, found[at:])
	return got.Cause == s.group.Cause && (got.Cause != "" || run.Normalized(got.Why) == run.Normalized(s.group.Why))
}

// cleanOf returns the cached or new run without faults, or nil if it has findings.
func (r *candidateRun) cleanOf(ctx context.Context, text string) (*run.Record, error) {
	r.mu.Lock()
	clean, known := r.clean[text]
	r.mu.Unlock()
	if known {
		return clean, nil
	}
	clean, err := r.run(ctx, nil, nil)
	if err != nil {
		return nil, err
	}
	clean.Baseline = r.options.Baseline
	r.mu.Lock()
	defer r.mu.Unlock()
	if run.NotCleanError(clean) != nil {
		clean = nil
	} else {
		r.usual = clean.Steps
	}
	r.clean[text] = clean
	return clean, nil
}

// run runs the candidate once, and resets the sandbox.
func (r *candidateRun) run(ctx context.Context, faults plan.Case, clean *run.Record) (*run.Record, error) {
	scenario, err := r.tree.scenario()
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	usual := r.usual
	r.trials++
	r.mu.Unlock()
	if r.tree.saysNoTimeout() {
		scenario.Setup.Timeout = spec.Duration(max(cleanPatience, cleanFactor*usual))
		if len(faults) > 0 {
			scenario.Setup.Timeout = spec.Duration(faultedPatience)
		}
	}
	o := r.sandbox.RunWithEarlyExit(ctx, scenario, faults.Faults(), clean, usual)
	if r.sandbox, err = r.options.Pool.ResetAfter(ctx, r.sandbox, o); err == nil {
		err = ctx.Err()
	}
	return o, err
}
