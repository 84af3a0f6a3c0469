package cause

import (
	"fmt"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/counted"
	"github.com/cosi-emu/cosi-emu/internal/oracle/rule"
	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

// Scenario returns the run of a finding, with its explanation as the first failure.
func (g *Group) Scenario(name string) report.Scenario {
	s := g.Shown
	s.Name, s.Outcome = name, outcome.Failed
	s.Labels = map[string]string{"oracle": g.Oracle}
	s.Failures = append([]report.Failure{{
		Position: s.Position, Message: g.Message, Subject: g.Subject, Oracle: g.Oracle, Notes: g.notes(),
	}}, s.Failures...)
	return s
}

func (g *Group) notes() []string {
	notes := []string{"Fault: " + g.Case.Describe()}
	if g.Why != "" {
		notes = append([]string{"Why: " + g.Why}, notes...)
	}
	if sentence := rule.Sentence(g.Rule); sentence != "" {
		notes = append([]string{"Rule: " + sentence}, notes...)
	}
	for _, f := range g.Others {
		notes = append(notes, "Also: "+f.String())
	}
	if !g.Confirmed {
		notes = append(notes, fmt.Sprintf("Seen once in %s, not shrunk", counted.Of(g.Runs, "run")))
	}
	if text := g.confirmation(); text != "" {
		notes = append(notes, strings.ToUpper(text[:1])+text[1:])
	}
	return notes
}
