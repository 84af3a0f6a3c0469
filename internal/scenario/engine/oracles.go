package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/hub"
	"github.com/cosi-emu/cosi-emu/internal/oracle"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/scenario/idle"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

const (
	atTheEnd        = "at the end"
	afterRestart    = "after the restart"
	afterTheCleanUp = "after the clean-up"
)

// observe waits until the run is idle, and records an observation. If a slow component
// may still resolve a finding, observe repeats after a longer silence.
func (r *run) observe(ctx context.Context, moment string) error {
	if r.engine.options.SkipOracles {
		return nil
	}
	for _, quiet := range []time.Duration{idle.ShortQuiet, idle.LongQuiet, 2 * idle.LongQuiet} {
		if quiet > idle.ShortQuiet {
			r.awaitRest(ctx, quiet)
		}
		restless := !r.waitQuiet(ctx, quiet)
		if err := r.watcher.Observe(ctx, moment, r.eventScope, restless); err != nil {
			return fmt.Errorf("observe the state %s: %w", moment, err)
		}
		if restless || quiet > idle.LongQuiet || !slices.ContainsFunc(r.findings(), checks.Finding.IsTransient) {
			return nil
		}
		r.watcher.DiscardObservation()
	}
	return nil
}

// awaitEarlierWork waits until the components have finished what they do for objects that existed
// before a run that is alone: it would see the end of that work, and nothing that justifies it. An
// emulator that does not come to rest delays the run only for a time.
func (r *run) awaitEarlierWork(ctx context.Context) error {
	scope := r.eventScope()
	if r.engine.options.SkipOracles || !scope.Alone {
		return nil
	}
	existing, err := hub.Read(ctx, r.engine.client, r.engine.emulator.Info().API, hub.Options{})
	if err != nil {
		return fmt.Errorf("look for objects that exist before the scenario: %w", err)
	}
	if len(existing.Claims)+len(existing.Buckets)+len(existing.Accesses) == 0 {
		return nil
	}
	limited, cancel := r.engine.timeouts.With(ctx, r.engine.timeouts.Scale(idle.MaxWait))
	defer cancel()
	r.idle.WaitSettled(limited, r.eventScope, idle.ShortQuiet, r.probeLatency)
	return context.Cause(ctx)
}

// waitQuiet waits until the run has been idle for a time. It returns false if that takes too long.
func (r *run) waitQuiet(ctx context.Context, quiet time.Duration) bool {
	limited, cancel := r.engine.timeouts.With(ctx, r.engine.timeouts.Scale(idle.MaxWait))
	defer cancel()
	return r.idle.WaitQuiet(limited, r.eventScope, quiet)
}

// awaitRest waits until the shared components have been idle for a time: work for the oracles'
// findings may still be queued. It waits no longer than a step.
func (r *run) awaitRest(ctx context.Context, rest time.Duration) {
	limited, cancel := r.engine.timeouts.With(ctx, r.engine.timeouts.Scale(time.Duration(spec.DefaultTimeout)))
	defer cancel()
	for limited.Err() == nil && r.idle.Rested() < rest {
		idle.Pause(limited, idle.ShortQuiet)
	}
}

func (r *run) findings() []checks.Finding {
	input := r.watcher.Input(r.eventScope())
	if r.result.Forced > 0 {
		input.EndAt(r.result.Forced)
	}
	r.result.Observed = input
	r.result.Observed.Events = nil // the journal has them
	return slices.DeleteFunc(oracle.Judge(input), func(f checks.Finding) bool {
		return r.engine.options.NoBackend && (f.Oracle == vocabulary.Leak || f.Oracle == vocabulary.Loss)
	})
}

// oracleFailures converts the findings into failures, except for those that the
// scenario allows. An exception without a finding is a failure too: it could hide a
// later one.
func (r *run) oracleFailures() []outcome.Failure {
	if r.engine.options.SkipOracles {
		return nil
	}
	var failures []outcome.Failure
	used := make([]bool, len(r.scenario.Allow))
	for _, finding := range r.findings() {
		allowed := finding.Oracle == vocabulary.Silence && r.unresponsive // the step's failure reports the repeated calls
		for i := range r.scenario.Allow {
			if allows(&r.scenario.Allow[i], finding) {
				used[i], allowed = true, true
			}
		}
		if !allowed {
			failure := outcome.Failure{
				Position: r.scenario.Position, Oracle: finding.Oracle, Message: finding.String(),
				Subject: finding.Subject, Events: finding.Events,
			}
			if sentence := finding.Sentence(); sentence != "" {
				failure.Notes = []string{"Rule: " + sentence}
			}
			failures = append(failures, failure)
		}
	}
	if len(r.result.Failures) > 0 {
		return failures // the scenario ended before the exceptions apply
	}
	for i := range r.scenario.Allow {
		if exception := &r.scenario.Allow[i]; !used[i] && !r.allowsExternal(exception) {
			failures = append(failures, outcome.Failure{
				Position: exception.Position, Oracle: exception.Oracle, Message: "unused exception, remove it: " + describe(exception),
			})
		}
	}
	return failures
}

func allows(exception *spec.Exception, f checks.Finding) bool {
	return exception.Oracle == f.Oracle && (strings.Contains(f.Message, exception.About) || strings.Contains(f.Subject, exception.About))
}

// allowsExternal reports whether an exception is about a bucket or account of the backend
// that a step changed without COSI. The oracles do not judge these.
func (r *run) allowsExternal(exception *spec.Exception) bool {
	changed := slices.Concat(r.external.Created(), r.result.Observed.External)
	return exception.About != "" && slices.ContainsFunc(changed, func(name string) bool {
		return strings.Contains(name, exception.About)
	})
}

func describe(exception *spec.Exception) string {
	if exception.About == "" {
		return exception.Oracle
	}
	return exception.Oracle + " about " + exception.About
}
