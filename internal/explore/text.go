package explore

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/counted"
	"github.com/cosi-emu/cosi-emu/internal/explore/shard"
)

// WriteText prints the report for people.
func (r *Report) WriteText(w io.Writer) error { return r.write(w, true) }

// WriteOf prints the report of one of several scenarios: WriteReasons prints their reasons together.
func (r *Report) WriteOf(w io.Writer) error { return r.write(w, false) }

func (r *Report) write(w io.Writer, reasons bool) error {
	var b strings.Builder
	r.writeUntried(&b)
	if r.Notice != "" {
		fmt.Fprintf(&b, "%s\n", r.Notice)
	}
	r.writeCounts(&b)
	if r.Seams.Events > 0 {
		fmt.Fprintf(&b, "seams without faults: %s\n", r.Seams)
	}
	if n := len(r.Unreached); n > 0 {
		fmt.Fprintf(&b, "not reached in %d attempts: %d\n", attempts, n)
		for _, c := range r.Unreached {
			fmt.Fprintf(&b, "  %s\n", c)
		}
	}
	if reasons {
		r.writeReasons(&b)
	}
	r.Baseline.writeText(&b)
	switch {
	case len(r.Findings) > 0:
	case len(r.Untried)+len(r.Unreached) > 0:
		b.WriteString("no findings in the tried cases\n")
	default:
		b.WriteString("no findings\n")
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return err
	}
	return r.WriteFindings(w)
}

// WriteFindings prints the findings.
func (r *Report) WriteFindings(w io.Writer) error {
	var b strings.Builder
	for i := range r.Findings {
		r.Findings[i].WriteText(&b, i+1)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeCounts prints the number of tries, and the speed.
func (r *Report) writeCounts(b *strings.Builder) {
	if r.Merged > 0 {
		fmt.Fprintf(b, "%s: %s tried, %s tried, %s; merged from %s\n", r.Scenario, counted.Of(r.Tried, "effect"),
			counted.Of(r.Combined, "combination"), counted.Of(r.Runs, "run"), counted.Of(r.Merged, "state"))
		for _, s := range r.MissingShards {
			fmt.Fprintf(b, "shard %s is missing\n", s)
		}
		return
	}
	part := ""
	if r.Shard != (shard.Shard{}) {
		part = fmt.Sprintf(" in shard %s", r.Shard)
	}
	fmt.Fprintf(b, "%s: %s, %d/%d effects tried%s", r.Scenario, counted.Of(r.Points, "point"), r.Tried, r.Applicable, part)
	if r.Combined > 0 {
		fmt.Fprintf(b, ", %s tried", counted.Of(r.Combined, "combination"))
	}
	if r.Pruned > 0 {
		fmt.Fprintf(b, ", %d pruned", r.Pruned)
	}
	fmt.Fprintf(b, "\n%s in %s in %s%s: %.1f runs/s; steps of the clean run: %s\n",
		counted.Of(r.Runs, "run"), r.Duration.Round(time.Second/10), counted.Of(r.Sandboxes, "sandbox"), on(r.ControlPlane),
		r.Rate(), r.Clean.Round(time.Millisecond))
}

func on(plane string) string {
	if plane == "" {
		return ""
	}
	return " on " + plane
}

// writeUntried prints the untried cases, and how to continue.
func (r *Report) writeUntried(b *strings.Builder) {
	if len(r.Untried) == 0 {
		return
	}
	reason := "it was interrupted"
	if r.Budget > 0 {
		reason = fmt.Sprintf("its budget is %s", r.Budget)
	}
	for i, u := range r.Untried {
		phase := u.Phase
		if i > 0 && phase == phasePairs { // each single fault adds pairs
			phase = "pairs known so far"
		}
		fmt.Fprintf(b, "%s: not tried: %d of %d %s, because %s\n", r.Scenario, u.Cases, u.Of, phase, reason)
	}
	fmt.Fprintln(b, HowToContinue(r.State))
}

// HowToContinue describes how to try the cases that a budget left, with the value of --state.
func HowToContinue(state string) string {
	if state == "" {
		return "to try the rest, run it without --budget; with --state, each run continues the one before"
	}
	return "to try the rest, run the same command again: it continues from " + state
}

// Seams is the overhead of the seams without faults.
type Seams struct {
	// With and Without are durations of the steps, each the mean of the faster half of
	// several alternating runs.
	With    time.Duration `json:"with"`
	Without time.Duration `json:"without"`
	// Events is the number of events of a run with the seams.
	Events int `json:"events"`
}

// Share returns the overhead as a part of the run.
func (s Seams) Share() float64 {
	if s.With == 0 {
		return 0
	}
	return float64(s.With-s.Without) / float64(s.With)
}

// String renders the figures for people.
func (s Seams) String() string {
	return fmt.Sprintf("%.1f %% of a run: %s with, %s without, %s",
		100*s.Share(), s.With.Round(time.Microsecond), s.Without.Round(time.Microsecond), counted.Of(s.Events, "event"))
}
