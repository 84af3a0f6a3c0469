package timeline

import (
	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/report/timeline/chart"
	"github.com/cosi-emu/cosi-emu/internal/report/timeline/format"
)

// view is the content of one scenario.
type view struct {
	report.Scenario

	ID          string
	Anchor      string
	OutcomeText string
	Noun        string
	Place       string
	Took        string
	Link        string
	LabelPairs  []string
	Commands    []command
	Failed      []failure
	Files       []sourceFile
	Chart       chart.Chart
	Transitions []chart.Transition
	Filters     []filter
	Rows        []row
}

// filter turns a kind of events on and off.
type filter struct {
	Kind  chart.Category
	Label string
	Count int
	On    bool
}

func newView(of section, s report.Scenario, as Presentation) view {
	id := of.ID
	v := view{
		Scenario: s, ID: id, Anchor: of.Anchor, Commands: as.commands(s), Files: newSources(s), Noun: as.Noun,
		OutcomeText: as.Label(s.Outcome), Place: format.Place(s.Position), Took: format.Span(s.Duration), Link: as.Links[s.Name],
		LabelPairs: pairs(s.Labels),
		Failed:     newFailures(id, s), Chart: chart.New(id, s), Transitions: chart.Transitions(s), Filters: filters(s), Rows: eventTable(id, s),
	}
	v.Chart.NameUser(as.User)
	return v
}

// filters offers the kinds that the scenario has.
func filters(s report.Scenario) []filter {
	counts := map[chart.Category]int{}
	for _, e := range s.Events {
		counts[chart.CategoryOf(e)]++
	}
	var offered []filter
	for _, k := range chart.Categories {
		if counts[k] > 0 {
			offered = append(offered, filter{k, k.Label(), counts[k], k.ShownAtFirst()})
		}
	}
	return offered
}
