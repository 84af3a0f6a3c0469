package explore

import (
	"context"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/emulator/oracle"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/spec"
)

// How long a step of a small scenario may take that does not say otherwise: without
// a fault as many times longer as all steps took when it last passed, and with one as
// long as components need to find their feet again. Most end sooner, in haste.
const (
	cleanFactor     = 4
	cleanPatience   = 500 * time.Millisecond
	faultedPatience = 3 * time.Second
)

// fails reports whether a candidate passes without its faults, and the oracle finds
// something with them. If there are none, the steps must pass nevertheless.
func (s *shrinker) fails(ctx context.Context, c candidate, text string) (fails bool, err error) {
	if _, err := c.source.scenario(); err != nil {
		return false, nil //nolint:nilerr // it is no scenario any more
	}
	err = s.explorer.shared.pool.lend(ctx, func(w *sandbox) (*sandbox, error) {
		t := &candidateRun{shrinker: s, sandbox: w, source: c.source}
		found, err := t.findings(ctx, c.faults, text)
		fails = slices.ContainsFunc(found, s.finds)
		return t.sandbox, err
	})
	return fails && err == nil, err
}

func (s *shrinker) finds(f oracle.Finding) bool { return f.Oracle == s.oracle }

// candidateRun runs one candidate.
type candidateRun struct {
	*shrinker

	sandbox *sandbox
	source  *source
}

// findings are what is wrong with a candidate. It is nothing if it is no candidate,
// because it does not pass without its faults.
func (t *candidateRun) findings(ctx context.Context, faults Case, text string) ([]oracle.Finding, error) {
	if len(faults) == 0 { // it is wrong by itself
		o, err := t.run(ctx, nil, nil)
		if err != nil || failureError(o) != nil {
			return nil, err
		}
		return judge(o, o), nil
	}
	clean, err := t.cleanOf(ctx, text)
	if err != nil || clean == nil {
		return nil, err
	}
	o, err := t.run(ctx, faults, clean)
	if err != nil || !o.reached() {
		return nil, err
	}
	return judge(o, clean), nil
}

// cleanOf is the run without faults, which may be known; nil if anything is wrong with it.
func (t *candidateRun) cleanOf(ctx context.Context, text string) (*runResult, error) {
	t.mu.Lock()
	clean, known := t.clean[text]
	t.mu.Unlock()
	if known {
		return clean, nil
	}
	clean, err := t.run(ctx, nil, nil)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if notCleanError(clean) != nil {
		clean = nil
	} else {
		t.usual = clean.steps
	}
	t.clean[text] = clean
	return clean, nil
}

// run runs the candidate once, and makes the sandbox fit for the next run.
func (t *candidateRun) run(ctx context.Context, faults Case, clean *runResult) (*runResult, error) {
	scenario, err := t.source.scenario()
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	usual := t.usual
	t.trials++
	t.mu.Unlock()
	if t.source.saysNoTimeout() {
		scenario.Setup.Timeout = spec.Duration(max(cleanPatience, cleanFactor*usual))
		if len(faults) > 0 {
			scenario.Setup.Timeout = spec.Duration(faultedPatience)
		}
	}
	o := t.sandbox.runWithEarlyExit(ctx, scenario, faults.faults(), clean, usual)
	if t.sandbox, err = t.explorer.resetAfter(ctx, t.sandbox, o); err == nil {
		err = ctx.Err()
	}
	return o, err
}
