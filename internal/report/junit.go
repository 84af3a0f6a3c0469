package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/report/junit"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

// WriteJUnit writes the report as JUnit XML: a file is a test suite, a scenario is a test case. Text
// explains the failures.
func (r Report) WriteJUnit(w io.Writer, text Text) error {
	all := junit.Report{Name: "cosi-emu", Took: r.Duration}
	for i := range r.Scenarios {
		s := &r.Scenarios[i]
		at := slices.IndexFunc(all.Suites, func(suite junit.Suite) bool { return suite.File == s.Position.File })
		if at < 0 {
			at = len(all.Suites)
			all.Suites = append(all.Suites, junit.Suite{Name: s.Position.File, File: s.Position.File, Started: s.Started})
		}
		all.Suites[at].Cases = append(all.Suites[at].Cases, testCase(s, text))
	}
	return all.Write(w)
}

func testCase(s *Scenario, text Text) junit.Case {
	one := junit.Case{
		Name: s.Name, Class: className(s.Position.File), File: s.Position.File, Line: s.Position.Line, Labels: s.Labels, Took: s.Duration,
	}
	switch s.Outcome {
	case outcome.Skipped:
		one.Skipped = &junit.Result{Message: s.Reason}
	case outcome.Failed:
		one.Failure = explained(s, "assertion", text)
	case outcome.Broken:
		one.Error = explained(s, "environment", text)
	case outcome.Passed:
	}
	return one
}

func explained(s *Scenario, kind string, text Text) *junit.Result {
	result := &junit.Result{Type: kind}
	if len(s.Failures) > 0 {
		result.Message = fmt.Sprintf("%s: %s", s.Failures[0].Position, firstLine(s.Failures[0].Message))
	}
	var explanation strings.Builder
	text.scenario(&explanation, s)
	result.Text = explanation.String()
	return result
}

// className turns the file into a class, by which Jenkins groups.
func className(file string) string {
	return strings.ReplaceAll(strings.Trim(strings.TrimSuffix(strings.TrimSuffix(file, ".yaml"), ".yml"), "./"), "/", ".")
}
