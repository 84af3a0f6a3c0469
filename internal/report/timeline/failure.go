package timeline

import (
	"fmt"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/report/timeline/chart"
	"github.com/cosi-emu/cosi-emu/internal/report/timeline/format"
)

type failure struct {
	report.Failure

	Heading string
	Place   string
	Target  string // the step in the list
	Lines   []diffLine
	// Shown are the events that show it.
	Shown []reference
}

// reference leads to an event in the list.
type reference struct {
	Seq    uint64
	Target string
}

type diffLine struct{ Class, Text string }

func newFailures(id string, s report.Scenario) []failure {
	all := make([]failure, 0, len(s.Failures))
	for _, f := range s.Failures {
		shown := failure{Failure: f, Heading: heading(f, s), Place: format.Place(f.Position), Lines: diffLines(f.Diff)}
		if f.Step != nil {
			shown.Target = fmt.Sprintf("%s-p%d", id, *f.Step)
		}
		for _, seq := range f.Events {
			shown.Shown = append(shown.Shown, reference{seq, fmt.Sprintf("%s-e%d", id, seq)})
		}
		all = append(all, shown)
	}
	return all
}

func heading(f report.Failure, s report.Scenario) string {
	switch {
	case f.Oracle != "":
		return "Oracle " + f.Oracle
	case f.Step != nil && *f.Step >= 0 && *f.Step < len(s.Steps):
		return fmt.Sprintf("Step %d, %s", *f.Step+1, chart.StepName(s.Steps[*f.Step]))
	default:
		return "At the end"
	}
}

func diffLines(diff string) []diffLine {
	if diff == "" {
		return nil
	}
	var lines []diffLine
	for line := range strings.Lines(diff) {
		line = strings.TrimSuffix(line, "\n")
		lines = append(lines, diffLine{diffClass(line), line})
	}
	return lines
}

func diffClass(line string) string {
	switch {
	case strings.HasPrefix(line, "@@"):
		return "about"
	case strings.HasPrefix(line, "-"):
		return "expected"
	case strings.HasPrefix(line, "+"):
		return "got"
	default:
		return "same"
	}
}
