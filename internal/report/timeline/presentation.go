package timeline

import (
	"cmp"
	"fmt"

	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/report/timeline/chart"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

// Presentation has the words of a report that is not about scenarios. The zero value describes
// scenarios.
type Presentation struct {
	// Title replaces the number of failed scenarios.
	Title string
	// Noun names one entry of the report, and User the lane of its steps.
	Noun, User string
	// Outcomes are other words for outcomes.
	Outcomes map[outcome.Outcome]string
	// Links are the addresses of the entries' sources, by their names.
	Links map[string]string
	// Rerun returns the command that runs just this entry; nil shows none.
	Rerun func(report.Scenario) string
	// Program is the command that runs this program; empty means cosi-emu.
	Program string
	// Summary is shown first.
	Summary *Summary
}

// Summary is a page before the entries.
type Summary struct {
	Heading string
	// Facts are lines with a name, and Notes are sentences.
	Facts  []Fact
	Notes  []string
	Tables []Table
}

// Fact is a line of a summary.
type Fact struct{ Name, Text string }

// Table is a table of a summary.
type Table struct {
	Heading string
	Header  []string
	Rows    [][]Cell
}

// Cell is a cell of a table.
type Cell struct {
	Text string
	// Outcome gives the cell a badge.
	Outcome outcome.Outcome
	// Entry is the number of an entry, from 1, that the cell links to; 0 is none.
	Entry int
}

// Target returns the address that a cell links to.
func (c Cell) Target() string { return sectionID(c.Entry) }

func sectionID(entry int) string { return fmt.Sprintf("s%d", entry) }

// summaryEntry is the number of the summary among the sections.
const summaryEntry = 0

func (p Presentation) withDefaults() Presentation {
	p.Noun, p.User = cmp.Or(p.Noun, "scenario"), cmp.Or(p.User, chart.LaneUser)
	return p
}

// Nouns is the plural of Noun.
func (p Presentation) Nouns() string { return p.Noun + "s" }

// Label returns the word for an outcome.
func (p Presentation) Label(outcome outcome.Outcome) string {
	return cmp.Or(p.Outcomes[outcome], string(outcome))
}
