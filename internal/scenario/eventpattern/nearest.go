package eventpattern

import (
	"encoding/json"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/glob"
	"github.com/cosi-emu/cosi-emu/internal/scenario/match"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// Mismatch is a difference between the journal and patterns of events.
type Mismatch struct {
	Problem string // empty without a difference
	// Final means that no further event can correct it.
	Final bool
	// nearest is the most similar event to a missing one, and differences are the fields that
	// differ.
	nearest     *journal.Event
	differences []match.Difference
}

// Failure returns the failure of a step that has waited for the events.
func (m Mismatch) Failure(after string) *outcome.Failure {
	f := &outcome.Failure{Message: m.Problem + after, Differences: m.differences}
	if m.nearest != nil {
		f.Message += "; the nearest is " + m.nearest.Component + " " + m.nearest.Operation.String() + " -> " + m.nearest.Outcome
		f.Events = []uint64{m.nearest.Seq}
	}
	return f
}

// nearest returns the event of the same seam, component and operation that differs in the fewest
// fields from the pattern, or nil. Of equal ones it returns the last.
func (p Pattern) nearest(events []journal.Event) (nearest *journal.Event, fewest []match.Difference, err error) {
	for _, e := range events {
		if e.Seam != p.seam || !glob.Match(p.component, e.Component) || !journal.MatchOperation(p.operation, e.Operation.Name) {
			continue
		}
		differences, err := p.differences(e)
		if err != nil {
			return nil, nil, err
		}
		if len(differences) > 0 && (nearest == nil || len(differences) <= len(fewest)) {
			nearest, fewest = &e, differences
		}
	}
	return nearest, fewest, nil
}

func (p Pattern) differences(e journal.Event) ([]match.Difference, error) {
	var found []match.Difference
	if !glob.Match(p.subject, e.Operation.Subject) {
		found = append(found, match.Difference{Path: "subject", Want: p.subject, Got: e.Operation.Subject, Position: p.Position})
	}
	if !p.hasOutcome(e) {
		found = append(found, match.Difference{Path: "outcome", Want: p.outcome, Got: e.Outcome, Position: p.Position})
	}
	for _, body := range []struct {
		name    string
		pattern *spec.Pattern
		got     json.RawMessage
	}{{"request", p.Request, requestOf(e)}, {"response", p.Response, e.Response}} {
		differences, err := p.body(body.pattern, body.got)
		if err != nil {
			return nil, err
		}
		for _, d := range differences {
			if d.Path != "" {
				d.Path = "." + d.Path
			}
			d.Path = body.name + d.Path
			found = append(found, d)
		}
	}
	return found, nil
}
