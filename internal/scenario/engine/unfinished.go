package engine

import (
	"context"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/oracle/watch"
	"github.com/cosi-emu/cosi-emu/internal/scenario/idle"
	"github.com/cosi-emu/cosi-emu/internal/scenario/limits"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// Unfinished is a scenario after its last step: its objects exist, and the oracles have not judged it.
type Unfinished struct {
	run    *run           // nil if the scenario is skipped
	result outcome.Result // of a skipped scenario
	leave  func()
}

// Begin runs the steps of a scenario. The caller must call End.
func (e *Engine) Begin(ctx context.Context, s *spec.Scenario) *Unfinished {
	if reason := e.facts().Unmet(s); reason != "" {
		return &Unfinished{result: e.skip(s, reason)}
	}
	leave := e.enter(s)
	scope, err := e.newScope(ctx, s.Name)
	r := e.newRun(s, scope)
	e.options.Observer.ScenarioStarted(s, r.namespace)
	r.isolated = e.isolation.Enter(r.scope, r.namespace)
	if err == nil {
		err = r.awaitEarlierWork(ctx)
	}
	r.result.From = e.journal.Mark() + 1
	if err == nil {
		r.watcher, err = watch.Start(ctx, e.emulator)
	}
	if err == nil {
		r.observeBackend()
		r.perform(ctx)
	} else {
		r.fail(err)
		r.kept = true
	}
	return &Unfinished{run: r, leave: leave}
}

// ContinueOn has the scenario end on an engine of another emulator, after the one on which it began has stopped; see
// emulator.Options.After. All scenarios that continue must do so before the first of them ends. End fails if that did not work.
func (u *Unfinished) ContinueOn(ctx context.Context, next *Engine) {
	r := u.run
	if r == nil || r.kept {
		return
	}
	u.leave()
	u.leave = next.enter(r.scenario)
	alone, others := r.isolated.State()
	r.company, r.others = r.company || !alone, append(r.others, others...)
	r.isolated = next.isolation.Enter(r.scope, r.namespace)
	r.engine, r.idle = next, idle.New(next.emulator)
	r.watcher.ContinueOn(next.emulator)
	r.storage = r.newStorage()
	_, err := r.makeDrivers(ctx, r.scenario.Setup.Drivers)
	r.fail(err)
	r.restarted = true
}

// End cleans up after the scenario, and judges it.
func (u *Unfinished) End(ctx context.Context) outcome.Result {
	r := u.run
	if r == nil {
		return u.result
	}
	defer u.leave()
	if r.kept {
		r.setOutcome()
	} else {
		r.finish(ctx)
	}
	r.result.Scope = r.eventScope()
	r.isolated.Leave(len(r.result.Failures) > 0, r.words)
	r.result.Duration, r.result.To = time.Since(r.result.Started), r.engine.journal.Mark()
	r.result.Redact(r.engine.journal)
	r.engine.options.Observer.ScenarioEnded(r.result)
	return r.result
}

// perform runs the setup and the steps, and waits until the components are idle.
func (r *run) perform(ctx context.Context) {
	err := r.setUp(ctx)
	if err == nil {
		limited, cancel := limits.WithDuration(ctx, r.engine.timeouts.Scale(r.scenario.Setup.Limits.OrDefault().Duration.Or(0)))
		err = r.steps(limited, r.scenario.Steps)
		if err == nil {
			r.awaitFaults(limited, r.injections())
		}
		cancel()
	}
	r.fail(err)
	r.fail(r.healAll())
	r.missing = r.unsupportedFeature()
	if r.engine.options.Keep && len(r.result.Failures) > 0 && r.missing == "" {
		r.kept = true
		return
	}
	r.failedSteps = len(r.result.Failures)
	ending, cancel := r.ending(ctx)
	defer cancel()
	r.fail(r.startStopped(ending))
	r.fail(r.observe(ending, atTheEnd))
}

// ending returns the context of what happens after the steps, also if the scenario was cancelled.
func (r *run) ending(ctx context.Context) (context.Context, context.CancelFunc) {
	return r.engine.timeouts.With(context.WithoutCancel(ctx), r.engine.timeouts.Scale(cleanUpTimeout))
}

func (r *run) finish(ctx context.Context) {
	ending, cancel := r.ending(ctx)
	defer cancel()
	if r.restarted {
		r.fail(r.observe(ending, afterRestart))
	}
	r.fail(r.end(ending))
	if r.missing != "" && len(r.result.Failures) == r.failedSteps {
		r.result.Outcome, r.result.Failures, r.result.Reason = outcome.Skipped, nil, r.missing
		return
	}
	r.setOutcome()
}
