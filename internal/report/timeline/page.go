package timeline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/counted"
	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/report/timeline/format"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

// page is the input of the outermost template.
type page struct {
	assets
	Presentation

	Title    string
	Version  string
	Started  string
	Duration string
	Outcome  outcome.Outcome
	Tally    []tally
	Sections []section
}

// tally is the number of scenarios with one outcome.
type tally struct {
	Outcome outcome.Outcome
	Count   int
}

// section is a scenario in the list, with its address.
type section struct {
	ID string
	// Anchor is the address by name; empty if another has the same.
	Anchor   string
	Name     string
	Outcome  outcome.Outcome
	Duration string
	// Share is the duration in percent of the longest.
	Share   string
	Labels  []string
	Why     string
	Current bool // whether the page opens with it

	scenario report.Scenario
	as       Presentation
}

// SummaryID returns the section of the summary.
func (page) SummaryID() string { return sectionID(summaryEntry) }

// View returns the content of the scenario. Templates call it one after the other, so that a large
// report is never in memory as a whole.
func (s section) View() view { return newView(s, s.scenario, s.as) }

func newPage(r report.Report, as Presentation) page {
	p := page{
		assets: newAssets(), Presentation: as, Title: cmp.Or(as.Title, title(r)), Version: r.Version, Outcome: r.Outcome,
		Started: r.Started.Format(time.RFC1123Z), Duration: format.Span(r.Duration),
	}
	for _, outcome := range outcomes {
		if n := count(r, outcome); n > 0 {
			p.Tally = append(p.Tally, tally{outcome, n})
		}
	}
	longest := time.Duration(1)
	for _, s := range r.Scenarios {
		longest = max(longest, s.Duration)
	}
	byName := anchors(r.Scenarios)
	for i, s := range r.Scenarios {
		p.Sections = append(p.Sections, section{
			ID: sectionID(i + 1), Anchor: byName[i], Name: s.Name, Outcome: s.Outcome, Duration: format.Span(s.Duration),
			Share: format.Percent(float64(s.Duration) / float64(longest)), Labels: pairs(s.Labels), Why: why(s), scenario: s, as: as,
		})
	}
	if len(p.Sections) > 0 && as.Summary == nil {
		p.Sections[worst(r.Scenarios)].Current = true
	}
	return p
}

// outcomes are the outcomes, the worst first.
var outcomes = []outcome.Outcome{outcome.Broken, outcome.Failed, outcome.Skipped, outcome.Passed}

func count(r report.Report, outcome outcome.Outcome) int {
	n := 0
	for _, s := range r.Scenarios {
		if s.Outcome == outcome {
			n++
		}
	}
	return n
}

func worst(all []report.Scenario) int {
	for _, outcome := range []outcome.Outcome{outcome.Failed, outcome.Broken} {
		for i, s := range all {
			if s.Outcome == outcome {
				return i
			}
		}
	}
	return 0
}

func title(r report.Report) string {
	bad := count(r, outcome.Failed) + count(r, outcome.Broken)
	if bad == 0 {
		return fmt.Sprintf("cosi-emu: %s", counted.Of(len(r.Scenarios), "scenario"))
	}
	return fmt.Sprintf("cosi-emu: %d of %s failed", bad, counted.Of(len(r.Scenarios), "scenario"))
}

// why explains in a line why a scenario has not passed.
func why(s report.Scenario) string {
	if len(s.Failures) > 0 {
		return s.Failures[0].Message
	}
	return s.Reason
}

func pairs(labels map[string]string) []string {
	all := make([]string, 0, len(labels))
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		all = append(all, key+"="+labels[key])
	}
	return all
}
