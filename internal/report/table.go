package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
)

// WriteTable writes a line for each scenario, with the reason if it has not passed, and the sum.
func (r Report) WriteTable(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "OUTCOME\tTIME\tSTEPS\tSCENARIO\tWHERE") // an error comes back from Flush
	for _, s := range r.failuresLast() {
		where := s.Position.String()
		if s.Reason != "" {
			where = s.Reason
		} else if len(s.Failures) > 0 {
			where = s.Failures[0].Position.String() + ": " + s.Failures[0].Message
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\n", s.Outcome, seconds(s.Duration), len(s.Steps), s.Name, printable(firstLine(where)))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	var notes strings.Builder
	for _, note := range r.Notes {
		fmt.Fprintf(&notes, "\nnote: %s", note)
	}
	if len(r.Notes) > 0 {
		notes.WriteString("\n")
	}
	_, err := fmt.Fprintf(w, "%s\n%s\n", notes.String(), r.Sum())
	return err
}

// failuresLast returns the scenarios with the unsuccessful ones last: a small terminal shows the
// end.
func (r Report) failuresLast() []*Scenario {
	var fine, failed []*Scenario
	for i := range r.Scenarios {
		if s := &r.Scenarios[i]; len(s.Failures) > 0 {
			failed = append(failed, s)
		} else {
			fine = append(fine, s)
		}
	}
	return append(fine, failed...)
}

// Sum returns a line with the number of passed scenarios and the duration.
func (r Report) Sum() string {
	var parts []string
	for _, outcome := range []outcome.Outcome{outcome.Passed, outcome.Failed, outcome.Broken, outcome.Skipped} {
		if n := r.Counts[outcome]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, outcome))
		}
	}
	run := len(r.Scenarios) - r.Counts[outcome.Skipped]
	sum := fmt.Sprintf("%s in %s", strings.Join(parts, ", "), seconds(r.Duration))
	if run > 1 && r.Duration > 0 {
		sum += fmt.Sprintf(" (%.1f scenarios/s)", float64(run)/r.Duration.Seconds())
	}
	return sum
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// printable removes control characters, which would damage the table.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
}
