package timeline

import (
	"github.com/cosi-emu/cosi-emu/internal/report"
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
	Chart       chart
	Transitions []transition
	Filters     []filter
	Rows        []row
}

// filter turns a kind of events on and off.
type filter struct {
	Kind  category
	Label string
	Count int
	On    bool
}

var filterLabels = map[category]string{
	kindWrite: "API writes", kindRead: "reads", kindWatch: "watches", kindCall: "calls",
	kindStore: "store", kindProcess: "processes", kindLog: "log",
}

func newView(of section, s report.Scenario, as Presentation) view {
	id := of.ID
	v := view{
		Scenario: s, ID: id, Anchor: of.Anchor, Commands: as.commands(s), Files: newSources(s), Noun: as.Noun,
		OutcomeText: as.Label(s.Outcome), Place: place(s.Position), Took: span(s.Duration), Link: as.Links[s.Name],
		LabelPairs: pairs(s.Labels),
		Failed:     newFailures(id, s), Chart: newChart(id, s), Transitions: transitions(s), Filters: filters(s), Rows: eventTable(id, s),
	}
	for i := range v.Chart.Lanes {
		if v.Chart.Lanes[i].Name == laneUser {
			v.Chart.Lanes[i].Name, v.Chart.Lanes[i].Short = as.User, cutText(as.User, maxLaneName)
		}
	}
	return v
}

// shownAtFirst is false for reads and watches, which are frequent and rarely relevant.
func shownAtFirst(k category) bool { return k != kindRead && k != kindWatch }

// filters offers the kinds that the scenario has.
func filters(s report.Scenario) []filter {
	counts := map[category]int{}
	for _, e := range s.Events {
		counts[categoryOf(e)]++
	}
	var offered []filter
	for _, k := range categories {
		if counts[k] > 0 {
			offered = append(offered, filter{k, filterLabels[k], counts[k], shownAtFirst(k)})
		}
	}
	return offered
}
