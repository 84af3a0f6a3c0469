package timeline

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/report/timeline/chart"
)

// liveID is the section of the picture of a running emulator.
const liveID = "live"

// Live is a part of the history of a running emulator. It is drawn like a scenario, so that a page
// about an emulator and a report look the same.
type Live struct {
	// Since and Until are the ends of the time axis.
	Since, Until time.Time
	// Events are the events of the journal in that time.
	Events []journal.Event
	// Steps are the users' actions.
	Steps []report.Step
	// Lanes are components that have a lane even if they have done nothing.
	Lanes []string
}

// Write writes the picture as HTML, for a page that has Style and WriteSymbols. A mark links to
// "#live-eN" for event N.
func (l Live) Write(w io.Writer) error {
	s := report.Scenario{
		Name: "the emulator", Started: l.Since, Duration: l.Until.Sub(l.Since), Events: slices.Clone(l.Events), Steps: l.Steps,
	}
	return execute(w, "chart.html", view{Scenario: s, ID: liveID, Chart: chart.New(liveID, s, l.Lanes...)})
}

// WriteEvent writes all details of an event.
func WriteEvent(w io.Writer, e journal.Event) error {
	return execute(w, "entry.html", eventRow(liveID, report.Scenario{Started: e.Time}, e))
}

// WriteSymbols writes the shapes that a picture uses.
func WriteSymbols(w io.Writer) error { return execute(w, "symbols.html", nil) }

// Style returns the style sheet of reports.
func Style() string { return style }

func execute(w io.Writer, template string, data any) error {
	if err := pages().ExecuteTemplate(w, template, data); err != nil {
		return fmt.Errorf("write the timeline: %w", err)
	}
	return nil
}

// Kind is a kind of events that readers turn on and off.
type Kind struct {
	// Name is the result of KindOf, and the class of its marks.
	Name string `json:"name"`
	// Label is its name for readers.
	Label string `json:"label"`
	// On means that it is shown unless readers turn it off.
	On bool `json:"on"`
}

// Kinds returns the kinds of events, in the order in which a page offers them.
func Kinds() []Kind {
	kinds := make([]Kind, 0, len(chart.Categories))
	for _, k := range chart.Categories {
		kinds = append(kinds, Kind{Name: string(k), Label: k.Label(), On: k != chart.KindLog && k.ShownAtFirst()})
	}
	return kinds
}

// KindOf returns the name of an event's kind.
func KindOf(e journal.Event) string { return string(chart.CategoryOf(e)) }
