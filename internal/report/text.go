package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
)

// DefaultTail is the default number of events for a scenario that has not passed.
const DefaultTail = 20

// Text configures the text of failures.
type Text struct {
	// Tail is the number of journal events to show; 0 means DefaultTail.
	Tail int
	// Rerun returns the command that runs just this scenario; nil shows none.
	Rerun func(Scenario) string
	// Program is the command that runs this program; empty means cosi-emu.
	Program string
}

// Write explains why scenarios have not passed.
func (t Text) Write(w io.Writer, scenarios []Scenario) error {
	var text strings.Builder
	for i := range scenarios {
		if len(scenarios[i].Failures) > 0 {
			t.scenario(&text, &scenarios[i])
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}

func (t Text) scenario(text *strings.Builder, s *Scenario) {
	fmt.Fprintf(text, "%s: %s (%s)\n", strings.ToUpper(string(s.Outcome)), s.Name, s.Position)
	for i := range s.Failures {
		failure(text, s, &s.Failures[i])
	}
	t.tail(text, s)
	if t.Rerun != nil {
		fmt.Fprintf(text, "\n  run just this again:\n\n    %s\n", t.Rerun(*s))
	}
	if s.Recording != "" {
		fmt.Fprintf(text, "\n  replay its recording:\n\n    %s replay %s\n", cmp.Or(t.Program, "cosi-emu"), s.Recording)
	}
	text.WriteString("\n")
}

func failure(text *strings.Builder, s *Scenario, f *Failure) {
	fmt.Fprintf(text, "\n  %s: %s\n    %s\n", f.Position, f.where(s), indented(f.Message, "    "))
	for _, note := range f.Notes {
		fmt.Fprintf(text, "    %s\n", indented(note, "      "))
	}
	if f.Diff == "" {
		for _, d := range f.Differences {
			fmt.Fprintf(text, "      %s\n", indented(d.String(), "        "))
		}
		return
	}
	fmt.Fprintf(text, "\n      %s\n", indented(strings.TrimSuffix(f.Diff, "\n"), "      "))
	for _, line := range conditions(f.Got) {
		fmt.Fprintf(text, "      %s\n", indented(line, "        "))
	}
}

// where names the step, if any.
func (f *Failure) where(s *Scenario) string {
	switch {
	case f.Step != nil:
		step := s.Steps[*f.Step]
		if step.Name != "" {
			return fmt.Sprintf("step %d, %s: %s", *f.Step+1, step.Verb, step.Name)
		}
		return fmt.Sprintf("step %d, %s", *f.Step+1, step.Verb)
	case f.Oracle != "":
		return "at the end, the oracle " + f.Oracle
	default:
		return "before the first step, or after the last"
	}
}

// String renders the difference in a line.
func (d Difference) String() string {
	path, got := d.Path, d.Got
	if path == "" {
		path = "it"
	}
	if got == "" {
		got = "nothing"
	}
	return fmt.Sprintf("%s: want %s, got %s", path, d.Want, got)
}

// String renders the position as compilers do.
func (p Position) String() string { return document.Position(p).String() }

func indented(text, by string) string { return strings.ReplaceAll(text, "\n", "\n"+by) }

func (t Text) tail(text *strings.Builder, s *Scenario) {
	events, before := Tail(*s, t.Tail)
	if len(events) == 0 {
		return
	}
	fmt.Fprintf(text, "\n  the journal, about its objects")
	if before > 0 {
		fmt.Fprintf(text, " (events before these: %d)", before)
	}
	text.WriteString(":\n\n")
	named := evidence(*s)
	for i, line := range aligned(events) {
		mark := ' '
		if named[events[i].Seq] {
			mark = '>' // it shows the failure
		}
		fmt.Fprintf(text, "  %c %s\n", mark, line)
	}
}

// maxLine is the maximum length of an event.
const maxLine = 300

// aligned renders events in lines, with the names of components below each other.
func aligned(events []journal.Event) []string {
	width := 0
	for _, e := range events {
		width = max(width, len(e.Component))
	}
	lines := make([]string, 0, len(events))
	for _, e := range events {
		e.Component = fmt.Sprintf("%-*s", width, e.Component)
		line := []rune(indented(e.String(), "      "))
		if len(line) > maxLine {
			line = append(line[:maxLine], '…')
		}
		lines = append(lines, string(line))
	}
	return lines
}
