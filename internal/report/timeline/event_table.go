package timeline

import (
	"fmt"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/report/timeline/chart"
	"github.com/cosi-emu/cosi-emu/internal/report/timeline/format"
)

// row is one event, or the beginning of one step, in the list.
type row struct {
	ID      string
	Step    *stepRow // nil for an event
	Class   string
	At      string
	Lane    string
	Hue     string
	Life    int // number of the incarnation, from the second on
	Name    string
	Subject string
	Outcome string
	Took    string
	Message string
	Fault   string

	// Facts are further details of an event.
	Facts             []string
	Request, Response string

	time time.Time
}

type stepRow struct {
	Number  int
	Verb    string
	Place   string
	Outcome string
	Depth   int
}

// eventTable returns steps and events on one clock.
func eventTable(id string, s report.Scenario) []row {
	rows := make([]row, 0, len(s.Steps)+len(s.Events))
	for i, step := range s.Steps {
		rows = append(rows, row{
			ID: fmt.Sprintf("%s-p%d", id, i), Class: "step " + string(step.Outcome), At: format.Offset(chart.Since(s, step.Started)),
			Lane: chart.LaneUser, Hue: chart.LaneUser, Name: chart.StepName(step), Took: format.Span(step.Duration), time: step.Started,
			Step: &stepRow{i + 1, step.Verb, format.Place(step.Position), string(step.Outcome), min(step.Depth, maxDepth)},
		})
	}
	for _, e := range s.Events {
		rows = append(rows, eventRow(id, s, e))
	}
	slices.SortStableFunc(rows, func(a, b row) int { return a.time.Compare(b.time) })
	return rows
}

// maxDepth limits the indentation of steps.
const maxDepth = 6

func eventRow(id string, s report.Scenario, e journal.Event) row {
	r := row{
		ID: chart.EventID(id, e), Class: chart.EventClass(s, e), At: format.Offset(chart.Since(s, e.Time)),
		Lane: e.Component, Hue: chart.Hue(e.Component),
		Name: e.Operation.Name, Subject: chart.ShortName(e.Operation.Subject, s.Namespace), Outcome: e.Outcome,
		Message: e.Message, Fault: e.Fault, Request: body(e.Request), Response: body(e.Response), time: e.Time,
	}
	if e.Incarnation > 1 {
		r.Life = e.Incarnation
	}
	switch e.Seam {
	case journal.SeamLog, journal.SeamProcess:
	default:
		r.Took = format.Span(e.Duration)
	}
	r.Facts = facts(e)
	return r
}

func facts(e journal.Event) []string {
	all := []string{fmt.Sprintf("event %d", e.Seq), e.Time.Format("15:04:05.000000"), fmt.Sprintf("seam %s", e.Seam)}
	if e.Nth > 0 {
		all = append(all, fmt.Sprintf("call %d of this operation by %s", e.Nth, e.Component))
	}
	if e.Incarnation > 0 {
		all = append(all, fmt.Sprintf("incarnation %d", e.Incarnation))
	}
	return all
}

// Opens reports whether the row has more content than fits into a line.
func (r row) Opens() bool {
	return r.Step == nil && (r.Request != "" || r.Response != "" || r.Message != "")
}
