package figure

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"text/tabwriter"
)

// Report holds the figures of a run.
type Report struct {
	// Platform and CPUs describe the machine of the run.
	Platform string `json:"platform"`
	CPUs     int    `json:"cpus"`
	// Figures are the results, in the order in which they were measured.
	Figures []Figure `json:"figures"`
}

// NewReport returns a report without figures, of this machine.
func NewReport() Report {
	return Report{Platform: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.NumCPU()}
}

// Missed returns the names of the figures that do not meet their bars.
func (r Report) Missed() []string {
	var missed []string
	for _, f := range r.Figures {
		if !f.Met {
			missed = append(missed, f.Name)
		}
	}
	return missed
}

// WriteText writes the report as a table for people, and the notes below it.
func (r Report) WriteText(w io.Writer) error {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "FIGURE\tMEASURED\tBASELINE\tRESULT\tBAR\tMET")
	for _, f := range r.Figures {
		met := "yes"
		if !f.Met {
			met = "NO"
		}
		bar := Number(f.Bar)
		if f.AtLeast {
			bar = "at least " + bar
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s %s\t%s\t%s\n",
			f.Name, f.Measured, f.Baseline, Number(f.Value), f.Unit, bar, met)
	}
	_ = table.Flush() // a strings.Builder takes everything
	fmt.Fprintf(&text, "\n%s, %d CPUs; times are medians (and the fastest and slowest).\n", r.Platform, r.CPUs)
	for _, f := range r.Figures {
		if len(f.Notes) > 0 {
			fmt.Fprintf(&text, "\n%s\n  %s\n", f.Name, strings.Join(f.Notes, "\n  "))
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}
