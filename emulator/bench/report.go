package bench

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"text/tabwriter"
)

// Report holds the figures of a run.
type Report struct {
	// Platform and CPUs say on what the run was made.
	Platform string `json:"platform"`
	CPUs     int    `json:"cpus"`
	// Figures are the results, in the order in which they were measured.
	Figures []Figure `json:"figures"`
}

// Figure is a result and the bar for it.
type Figure struct {
	// Name says what was measured.
	Name string `json:"name"`
	// Value is the result: a ratio, a number or an amount, as Unit says.
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	// Bar is the highest value that is good, and Met says that this one is.
	Bar float64 `json:"bar"`
	Met bool    `json:"met"`
	// Measured and Baseline are what a ratio was made of.
	Measured *Spread `json:"measured,omitempty"`
	Baseline *Spread `json:"baseline,omitempty"`
	// Notes say what else was seen.
	Notes []string `json:"notes,omitempty"`
}

// Units of figures.
const (
	unitTimes     = "x"
	unitCrossings = "writes and calls"
	unitMegabytes = "MB"
)

func newReport() Report {
	return Report{Platform: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.NumCPU()}
}

// ratio is a figure that compares what was measured with its baseline.
func ratio(name string, bar float64, measured, baseline Spread, notes ...string) Figure {
	return Figure{Measured: &measured, Baseline: &baseline}.
		result(name, measured.Median/baseline.Median, unitTimes, bar, notes)
}

func (f Figure) result(name string, value float64, unit string, bar float64, notes []string) Figure {
	f.Name, f.Value, f.Unit, f.Bar, f.Met, f.Notes = name, value, unit, bar, value <= bar, notes
	return f
}

// Missed returns the names of the figures that are over their bars.
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
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s %s\t%s\t%s\n",
			f.Name, f.Measured, f.Baseline, number(f.Value), f.Unit, number(f.Bar), met)
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

// number renders a number with two digits after the point, if it needs any.
func number(value float64) string {
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.2f", value), "0"), ".")
}
