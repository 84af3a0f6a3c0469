package chart

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/report/timeline/format"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// mark is one event, or one step, in the picture.
type mark struct {
	// Target is the row with all details; empty if there is none.
	Target string
	Class  string
	X      string
	Width  string
	Y      int
	Height int
	Label  string
	// LabelX is the left edge of the label, and Shift an additional distance in pixels.
	LabelX string
	Shift  int
	TextY  int
	Inside bool
	// Title is the tooltip, which screen readers read.
	Title string
	// Symbol is the shape of a mark without a duration.
	Symbol string
}

// eventMarks draws the events of a lane, the minor ones below the others, and returns the number of
// rows.
func (p *plotter) eventMarks(drawn *lane, events []journal.Event, y int) int {
	slices.SortStableFunc(events, func(a, b journal.Event) int { return a.Time.Compare(b.Time) })
	var items []*item
	var major, minor []journal.Event
	for _, e := range events {
		if CategoryOf(e).minor() {
			minor = append(minor, e)
			continue
		}
		begin := p.since(e.Time)
		next := &item{from: p.pixels(begin), to: p.pixels(begin + lasting(e.Duration)), label: label(e)}
		if CategoryOf(e) == kindProcess {
			next.to = max(next.to, next.from+symbolWidth)
		}
		major, items = append(major, e), append(items, next)
	}
	rows := max(pack(items, maxRows), 1)
	for _, e := range minor {
		drawn.Marks = append(drawn.Marks, p.eventMark(e, &item{}, y+rows*rowHeight))
	}
	for i, e := range major {
		drawn.Marks = append(drawn.Marks, p.eventMark(e, items[i], y))
	}
	return rows
}

// maxLabel is the maximum length of a label.
const maxLabel = 40

func label(e journal.Event) string {
	text := short(e)
	if e.Failed() {
		text += " " + e.Outcome
	}
	if e.Fault != "" {
		text = "⚡" + text
	}
	return format.Cut(text, maxLabel)
}

func (p *plotter) eventMark(e journal.Event, i *item, y int) mark {
	lasted := e.Duration
	if CategoryOf(e) == kindWatch {
		lasted = 0
	}
	m := p.mark(p.since(e.Time), lasted, i, y)
	m.Target, m.Class = EventID(p.id, e), "mark "+EventClass(p.s, e)
	p.tops[m.Target] = m.Y
	m.Title = eventTitle(e, p.since(e.Time))
	if CategoryOf(e).minor() {
		m.Height = minorHeight - 3
	}
	if CategoryOf(e) == kindProcess {
		m.Shift += symbolWidth - minMark
		m.Symbol = "crash"
		if life := processSymbols[e.Operation.Name]; life != "" && !e.Failed() {
			m.Symbol = life
		}
	}
	return m
}

// processSymbols are the shapes of steps in a life; others look like a crash.
var processSymbols = map[string]string{"start": "start", "ready": "ready", "stop": "stop"}

func (p *plotter) mark(begin, lasted time.Duration, i *item, y int) mark {
	from, to := p.scale.at(begin), p.scale.at(begin+lasting(lasted))
	to = max(to, from+float64(minMark)/nominalWidth)
	m := mark{
		X: format.Percent(from), Width: format.Percent(to - from), Y: y + i.row*rowHeight, Height: markHeight,
		LabelX: format.Percent(to), Shift: labelGap, Inside: i.inside,
	}
	m.TextY = m.Y + rowHeight - 6
	if i.inside {
		m.LabelX = m.X
	}
	if i.shown {
		m.Label = i.label
	}
	return m
}

// EventID returns the ID of the row of an event, to which its mark leads.
func EventID(scenario string, e journal.Event) string { return fmt.Sprintf("%s-e%d", scenario, e.Seq) }

// EventClass returns the look of an event, in the picture and in the list.
func EventClass(s report.Scenario, e journal.Event) string {
	classes := []string{string(CategoryOf(e))}
	switch {
	case bad(s, e):
		classes = append(classes, "bad")
	case unsuccessful(e):
		classes = append(classes, "unsuccessful")
	}
	if e.Fault != "" {
		classes = append(classes, "faulty")
	}
	if e.Seam == journal.SeamStore && e.Component == vocabulary.Store {
		classes = append(classes, "s3")
	}
	return strings.Join(classes, " ")
}

func eventTitle(e journal.Event, at time.Duration) string {
	if e.Seam == journal.SeamLog {
		return fmt.Sprintf("%s s, %s: %s", format.Offset(at), e.Component, format.Cut(e.Message, 300))
	}
	text := fmt.Sprintf("%s s, %s: %s", format.Offset(at), e.Component, e.Operation)
	if e.Seam != journal.SeamProcess {
		text += fmt.Sprintf(", %s in %s", e.Outcome, format.Span(e.Duration))
	}
	if e.Message != "" {
		text += ": " + format.Cut(e.Message, 300)
	}
	if e.Fault != "" {
		text += ", fault " + e.Fault
	}
	return text
}
