// Package eventpattern compares the events of the journal with the patterns of a scenario.
package eventpattern

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/glob"
	"github.com/cosi-emu/cosi-emu/internal/scenario/match"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/seam/operations"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// Pattern is a pattern for events whose expressions have been evaluated.
type Pattern struct {
	spec.EventPattern

	seam                                   journal.Seam
	component, operation, subject, outcome string
	variables                              map[string]any
}

// New evaluates a pattern with the variables of a scenario. The function componentNamed returns the
// name of a component in the journal.
func New(p spec.EventPattern, variables map[string]any, componentNamed func(string) string) (Pattern, error) {
	found := Pattern{EventPattern: p, seam: journal.Seam(p.Seam), variables: variables}
	if p.Seam == "" {
		found.seam = journal.SeamRPC
	}
	// The journal has each call twice: as sent by the sidecar, and as received by the
	// driver.
	if found.seam == journal.SeamRPC && p.Component.IsZero() {
		found.component = vocabulary.Sidecar + "*"
	}
	for _, field := range []struct {
		text spec.Text
		into *string
	}{{p.Component, &found.component}, {p.Operation, &found.operation}, {p.Subject, &found.subject}, {p.Outcome, &found.outcome}} {
		if field.text.IsZero() {
			continue
		}
		text, err := field.text.Text(variables)
		if err != nil {
			return found, err
		}
		*field.into = text
	}
	found.component = componentNamed(found.component)
	return found, errors.Join(operations.Check(found.seam, found.operation), operations.CheckComponentAt(found.seam, found.component))
}

// Matches reports whether an event matches.
func (p Pattern) Matches(e journal.Event) (bool, error) {
	if e.Seam != p.seam || !p.forWatchEvents() && strings.HasPrefix(e.Operation.Name, journal.EventPrefix) {
		return false, nil
	}
	if !glob.Match(p.component, e.Component) || !journal.MatchOperation(p.operation, e.Operation.Name) ||
		!glob.Match(p.subject, e.Operation.Subject) {
		return false, nil
	}
	if !p.hasOutcome(e) {
		return false, nil
	}
	matched, err := p.message(p.Request, requestOf(e))
	if !matched || err != nil {
		return false, err
	}
	return p.message(p.Response, e.Response)
}

// forWatchEvents reports whether the pattern selects watch events. Other patterns select operations
// of components, which do not include watch events.
func (p Pattern) forWatchEvents() bool {
	return strings.HasPrefix(p.operation, journal.EventPrefix)
}

func (p Pattern) hasOutcome(e journal.Event) bool {
	code, negated := strings.CutPrefix(p.outcome, "!")
	return p.outcome == "" || (e.Outcome == code) != negated
}

func (p Pattern) message(pattern *spec.Pattern, body json.RawMessage) (bool, error) {
	differences, err := p.body(pattern, body)
	return len(differences) == 0, err
}

// body returns the differences between a request or a response and its pattern.
func (p Pattern) body(pattern *spec.Pattern, body json.RawMessage) ([]match.Difference, error) {
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

func (p Pattern) String() string {
	var words []string
	for _, word := range []string{string(p.seam), p.component, p.operation, p.subject, p.outcome} {
		if word != "" {
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}
