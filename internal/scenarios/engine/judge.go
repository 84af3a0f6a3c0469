package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/emulator/oracle"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/spec"
)

// How long it must be quiet before the oracles look: a short time, because all but
// a few scenarios have long come to rest by then; a long one if they do not like
// what they see, which may be a component that is slow on a busy machine; and how
// long that may take.
const (
	shortRest = 30 * time.Millisecond
	longRest  = 600 * time.Millisecond
	maxRest   = 6 * time.Second
)

// The moments that are judged.
const (
	atTheEnd        = "at the end"
	afterTheCleanUp = "after the clean-up"
)

// judgedScope says what the oracles are to judge.
func (r *run) judgedScope() oracle.Scope {
	r.mu.Lock()
	defer r.mu.Unlock()
	alone, others := r.engine.company.of(r)
	return oracle.Scope{
		Alone: alone, Others: others,
		Namespaces: []string{r.namespace}, Words: append(slices.Clone(r.words), r.scope),
	}
}

// witness waits until nothing goes on any more, and has the oracles look. If they
// find something that time may mend, it gives it time.
func (r *run) witness(ctx context.Context, moment string) error {
	if r.engine.options.Unjudged {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, r.engine.patient(maxRest))
	defer cancel()
	for _, quiet := range []time.Duration{shortRest, longRest, 2 * longRest} {
		scope := r.judgedScope()
		restless := !r.watcher.WaitQuiet(limited, scope, quiet)
		if err := r.watcher.Observe(ctx, moment, scope, restless); err != nil {
			return fmt.Errorf("look at what there is %s: %w", moment, err)
		}
		if restless || quiet > longRest || !slices.ContainsFunc(r.found(), passing) {
			return nil
		}
		r.watcher.DiscardObservation()
	}
	return nil
}

// found are the oracles' findings until now.
func (r *run) found() []oracle.Finding {
	input := r.watcher.Input(r.judgedScope())
	r.result.Judged = input
	r.result.Judged.Events = nil // the journal has them
	return slices.DeleteFunc(oracle.Judge(input), func(f oracle.Finding) bool {
		return r.engine.options.Blind && (f.Oracle == oracle.Leak || f.Oracle == oracle.Loss)
	})
}

// passing reports whether a finding may be of a moment that came too early.
func passing(f oracle.Finding) bool {
	return !slices.Contains([]string{oracle.Order, oracle.Foreign, oracle.Secret}, f.Oracle)
}

// verdict turns the findings into failures, but for those that the scenario
// allows; and exceptions that nothing was found for, because they would hide what
// comes next.
func (r *run) verdict() []Failure {
	if r.engine.options.Unjudged {
		return nil
	}
	var failures []Failure
	used := make([]bool, len(r.scenario.Allow))
	for _, finding := range r.found() {
		allowed := false
		for i := range r.scenario.Allow {
			if allows(&r.scenario.Allow[i], finding) {
				used[i], allowed = true, true
			}
		}
		if !allowed {
			failures = append(failures, Failure{
				Position: r.scenario.Position, Oracle: finding.Oracle, Message: finding.String(),
				Subject: finding.Subject, Events: finding.Events,
			})
		}
	}
	if len(r.result.Failures) > 0 {
		return failures // it has not come to what the exceptions are for
	}
	for i := range r.scenario.Allow {
		if exception := &r.scenario.Allow[i]; !used[i] {
			failures = append(failures, Failure{
				Position: exception.Position, Oracle: exception.Oracle, Message: "nothing was found that this exception is for: " + describe(exception),
			})
		}
	}
	return failures
}

// allows reports whether an exception is for a finding.
func allows(exception *spec.Exception, f oracle.Finding) bool {
	return exception.Oracle == f.Oracle && (strings.Contains(f.Message, exception.About) || strings.Contains(f.Subject, exception.About))
}

func describe(exception *spec.Exception) string {
	if _, known := oracle.All()[exception.Oracle]; !known {
		return fmt.Sprintf("there is no oracle %q, only %s", exception.Oracle, strings.Join(oracle.Names(), ", "))
	}
	if exception.About == "" {
		return exception.Oracle
	}
	return exception.Oracle + " about " + exception.About
}
