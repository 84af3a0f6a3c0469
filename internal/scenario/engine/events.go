package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/scenario/eventpattern"
	"github.com/cosi-emu/cosi-emu/internal/scenario/idle"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/timeout"
)

// events returns the scenario's events between the marks.
func (r *run) events(asked *spec.Events) []journal.Event {
	r.mu.Lock()
	from, until := r.result.From-1, uint64(0)
	if asked.Since != "" {
		from = r.marks[asked.Since]
	}
	if asked.Until != "" {
		until = r.marks[asked.Until]
	}
	r.mu.Unlock()
	scope := r.ownScope()
	return slices.DeleteFunc(r.engine.journal.Since(from), func(e journal.Event) bool {
		return until != 0 && e.Seq > until || !scope.Concerns(e)
	})
}

func (r *run) calls(ctx context.Context, s *spec.Step) (any, error) {
	patterns, err := r.eventPatterns(ctx, s.Calls)
	if err != nil {
		return nil, err
	}
	for {
		mark := r.engine.journal.Mark()
		found, err := eventpattern.Compare(s.Calls, patterns, r.events(s.Calls))
		switch {
		case err != nil || found.Problem == "":
			return nil, err
		case found.Final:
			return nil, found.Failure("")
		}
		if !r.awaitEvent(ctx, mark) {
			return nil, found.Failure(timeout.After(ctx))
		}
	}
}

// awaitEvent returns when there is another event, or false when the context ends.
func (r *run) awaitEvent(ctx context.Context, mark uint64) bool {
	for range r.engine.journal.Follow(ctx, mark) {
		return true
	}
	return false
}

func (r *run) eventPatterns(ctx context.Context, asked *spec.Events) ([]eventpattern.Pattern, error) {
	patterns := make([]eventpattern.Pattern, 0, len(asked.Events))
	for _, p := range asked.Events {
		found, err := eventpattern.New(p, r.variables.Now(ctx), r.componentNamed)
		if err != nil {
			return nil, err
		}
		patterns = append(patterns, found)
	}
	return patterns, nil
}

// never checks that no event between the marks matches.
func (r *run) never(ctx context.Context, s *spec.Step) (any, error) {
	patterns, err := r.eventPatterns(ctx, s.Never)
	if err != nil {
		return nil, err
	}
	for _, e := range r.events(s.Never) {
		for _, p := range patterns {
			matched, err := p.Matches(e)
			if err != nil {
				return nil, err
			}
			if matched {
				return nil, &outcome.Failure{Message: "forbidden event: " + e.String()}
			}
		}
	}
	return nil, nil
}

// settle waits until the scenario has been idle for a time, counted from now. The time is longer on
// a busy machine.
func (r *run) settle(ctx context.Context, s *spec.Step) (any, error) {
	quiet := s.Settle.Quiet.Or(spec.Duration(idle.SettleQuiet))
	detector := idle.New(r.engine.emulator)
	if detector.WaitSettled(ctx, r.ownScope, quiet, r.probeLatency) {
		return nil, nil
	}
	message := fmt.Sprintf("not idle for %s", quiet)
	if latest := detector.Latest(); latest.Seq != 0 {
		message += ", latest activity: " + latest.String()
	}
	return nil, &outcome.Failure{Message: message + timeout.After(ctx)}
}
