package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/glob"
	"github.com/cosi-emu/cosi-emu/internal/scenario/idle"
	"github.com/cosi-emu/cosi-emu/internal/scenario/match"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/timeout"
	"github.com/cosi-emu/cosi-emu/internal/seam/operations"
)

type eventPattern struct {
	spec.EventPattern

	seam                                   journal.Seam
	component, operation, subject, outcome string
	variables                              map[string]any
}

func (r *run) eventPattern(ctx context.Context, p spec.EventPattern) (eventPattern, error) {
	found := eventPattern{EventPattern: p, seam: journal.Seam(p.Seam), variables: r.variables.Now(ctx)}
	if p.Seam == "" {
		found.seam = journal.SeamRPC
	}
	// The journal has each call twice: as sent by the sidecar, and as received by the
	// driver.
	if found.seam == journal.SeamRPC && p.Component.IsZero() {
		found.component = emulator.ComponentSidecar + "*"
	}
	for _, field := range []struct {
		text spec.Text
		into *string
	}{{p.Component, &found.component}, {p.Operation, &found.operation}, {p.Subject, &found.subject}, {p.Outcome, &found.outcome}} {
		if field.text.IsZero() {
			continue
		}
		text, err := r.variables.Text(ctx, field.text)
		if err != nil {
			return found, err
		}
		*field.into = text
	}
	found.component = r.componentNamed(found.component)
	return found, errors.Join(operations.Check(found.seam, found.operation), operations.CheckComponentAt(found.seam, found.component))
}

func (p eventPattern) matches(e journal.Event) (bool, error) {
	if e.Seam != p.seam || !p.forWatchEvents() && strings.HasPrefix(e.Operation.Name, journal.EventPrefix) {
		return false, nil
	}
	if !glob.Match(p.component, e.Component) || !glob.Match(p.operation, e.Operation.Name) || !glob.Match(p.subject, e.Operation.Subject) {
		return false, nil
	}
	if !p.hasOutcome(e) {
		return false, nil
	}
	matched, err := p.message(p.Request, e.Request)
	if !matched || err != nil {
		return false, err
	}
	return p.message(p.Response, e.Response)
}

// forWatchEvents reports whether the pattern selects watch events. Other patterns select operations
// of components, which do not include watch events.
func (p eventPattern) forWatchEvents() bool {
	return strings.HasPrefix(p.operation, journal.EventPrefix)
}

func (p eventPattern) hasOutcome(e journal.Event) bool {
	code, negated := strings.CutPrefix(p.outcome, "!")
	return p.outcome == "" || (e.Outcome == code) != negated
}

func (p eventPattern) message(pattern *spec.Pattern, body json.RawMessage) (bool, error) {
	differences, err := p.body(pattern, body)
	return len(differences) == 0, err
}

// body returns the differences between a request or a response and its pattern.
func (p eventPattern) body(pattern *spec.Pattern, body json.RawMessage) ([]match.Difference, error) {
	if pattern == nil {
		return nil, nil
	}
	got := match.Missing
	if len(body) > 0 {
		if err := json.Unmarshal(body, &got); err != nil {
			return nil, err
		}
	}
	return match.Match(*pattern, got, p.variables)
}

func (p eventPattern) String() string {
	var words []string
	for _, word := range []string{string(p.seam), p.component, p.operation, p.subject, p.outcome} {
		if word != "" {
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}

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
		found, err := compare(s.Calls, patterns, r.events(s.Calls))
		switch {
		case err != nil || found.problem == "":
			return nil, err
		case found.final:
			return nil, found.failure("")
		}
		if !r.awaitEvent(ctx, mark) {
			return nil, found.failure(timeout.After(ctx))
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

func (r *run) eventPatterns(ctx context.Context, asked *spec.Events) ([]eventPattern, error) {
	patterns := make([]eventPattern, 0, len(asked.Events))
	for _, p := range asked.Events {
		found, err := r.eventPattern(ctx, p)
		if err != nil {
			return nil, err
		}
		patterns = append(patterns, found)
	}
	return patterns, nil
}

// compare returns the first mismatch between events and the patterns, or an empty one. A component may
// repeat an operation after the next one, unless the pattern has a count: how often it has by the time
// of the step depends on the machine.
func compare(asked *spec.Events, patterns []eventPattern, events []journal.Event) (mismatch, error) {
	// Sort by start time: another component can see a change and act on it before
	// the answer arrives.
	slices.SortStableFunc(events, func(a, b journal.Event) int { return a.Time.Compare(b.Time) })
	counts, last := make([]int, len(patterns)), -1
	for _, e := range events {
		i, err := firstMatch(patterns, e)
		switch {
		case err != nil:
			return mismatch{}, err
		case i >= 0 && i < last && !asked.AnyOrder && !patterns[i].mayRepeat(counts[i]):
			return mismatch{problem: fmt.Sprintf("expected event %q before %q, got it after", patterns[i], patterns[last])}, nil
		case i >= 0:
			counts[i]++
			last = max(last, i)
		case asked.Only && sameSeam(patterns, e):
			return mismatch{problem: "unexpected event: " + e.String()}, nil
		}
	}
	for i, p := range patterns {
		if !p.Count.Contains(counts[i]) {
			return p.miscounted(counts[i], events)
		}
	}
	return mismatch{}, nil
}

// firstMatch returns the index of the first pattern that an event matches, or -1.
func firstMatch(patterns []eventPattern, e journal.Event) (int, error) {
	for i, p := range patterns {
		if matched, err := p.matches(e); matched || err != nil {
			return i, err
		}
	}
	return -1, nil
}

// mayRepeat reports whether an event that has occurred a number of times may occur again at any time.
func (p eventPattern) mayRepeat(occurred int) bool { return occurred > 0 && !p.Count.IsGiven() }

// miscounted returns the mismatch of a pattern if too few or too many events match.
func (p eventPattern) miscounted(n int, events []journal.Event) (found mismatch, err error) {
	found.problem = fmt.Sprintf("expected %s %q, got %d", p.Count.Describe("event"), p, n)
	if found.final = p.Count.Exceeded(n); !found.final {
		found.nearest, found.differences, err = p.nearest(events)
	}
	return found, err
}

func sameSeam(patterns []eventPattern, e journal.Event) bool {
	for _, p := range patterns {
		if p.seam == e.Seam && glob.Match(p.component, e.Component) {
			return true
		}
	}
	return false
}

// never checks that no event between the marks matches.
func (r *run) never(ctx context.Context, s *spec.Step) (any, error) {
	patterns, err := r.eventPatterns(ctx, s.Never)
	if err != nil {
		return nil, err
	}
	for _, e := range r.events(s.Never) {
		for _, p := range patterns {
			matched, err := p.matches(e)
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
