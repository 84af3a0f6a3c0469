package conformance

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/counted"
)

// WriteText writes a summary for a terminal: the verdicts, and what to fix first.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	if r.untested() {
		_, err := fmt.Fprintln(w, r.problem())
		return err
	}
	fmt.Fprintf(&b, "driver %s, %s, seed %s, %s\n", r.Driver, r.Dialect.Protocol(), r.Seed, r.Took.Round(time.Millisecond))
	r.writeVerdicts(&b)
	if r.Slow != "" {
		fmt.Fprintln(&b, r.Slow)
	}
	r.writeLeftovers(&b)
	if r.Problem != "" {
		fmt.Fprintf(&b, "\n%s\n", r.problem())
	} else {
		r.writeUndecided(&b, NotReached, "Not reached")
	}
	r.writeUndecided(&b, NotProved, "Not proved")
	r.writeDifferences(&b)
	r.writeFailed(&b)
	for i, id := range r.FixFirst {
		if i == 0 {
			b.WriteString("Fix first:\n")
		}
		fmt.Fprintf(&b, "  %s %s\n", id, r.find(id).Check.Title)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeVerdicts writes a line for each profile that was judged, and one for all that have the same reason why not.
func (r *Report) writeVerdicts(b *strings.Builder) {
	unjudged := map[string][]string{}
	for _, v := range r.Verdicts {
		if v.Verdict == NotTested || v.Verdict == Unsupported {
			unjudged[v.Verdict] = append(unjudged[v.Verdict], v.Profile)
			continue
		}
		fmt.Fprintf(b, "%-16s %-16s", v.Profile, v.Verdict)
		for _, state := range checkStates {
			if v.Counts[state] > 0 {
				fmt.Fprintf(b, "  %d %s", v.Counts[state], state)
			}
		}
		b.WriteByte('\n')
	}
	for _, verdict := range []string{NotTested, Unsupported} {
		if profiles := unjudged[verdict]; profiles != nil {
			fmt.Fprintf(b, "%s: %s\n", verdict, strings.Join(profiles, ", "))
		}
	}
}

// writeFailed lists the failed checks, if there are more than those to fix first.
func (r *Report) writeFailed(b *strings.Builder) {
	var failed []string
	for i := range r.Results {
		if r.Results[i].State == Fail {
			failed = append(failed, r.Results[i].Check.ID)
		}
	}
	if len(failed) > len(r.FixFirst) {
		fmt.Fprintf(b, "Failed: %s\n", strings.Join(failed, ", "))
	}
}

// shownUndecided is how many checks that were not reached, or not proved, a summary has.
const shownUndecided = 3

// writeUndecided writes why checks ended in a state. After a failure it is brief: most of them are consequences.
func (r *Report) writeUndecided(b *strings.Builder, state, heading string) {
	var results []Result
	for i := range r.Results {
		if r.Results[i].State == state {
			results = append(results, r.Results[i])
		}
	}
	switch {
	case len(results) == 0:
		return
	case len(r.FixFirst) > 0:
		first := results[0]
		fmt.Fprintf(b, "%s: %s; the first is %s: %s\n", heading, counted.Of(len(results), "check"), first.name(), first.Reason)
		return
	}
	fmt.Fprintf(b, "\n%s:\n", heading)
	for _, result := range results[:min(len(results), shownUndecided)] {
		fmt.Fprintf(b, "  %s\n", result.Explain())
	}
	if more := len(results) - shownUndecided; more > 0 {
		fmt.Fprintf(b, "  and %d more, which the report has\n", more)
	}
}

// shownLeftovers is how many leftovers the text has: one mistake often has one for each bucket. All are in the
// other forms of the report.
const shownLeftovers = 3

func (r *Report) writeLeftovers(b *strings.Builder) {
	n := 0
	for i := range r.Results {
		for _, leftover := range r.Results[i].Leftovers {
			n++
			if n <= shownLeftovers {
				fmt.Fprintf(b, "left behind by %s: %s\n", r.Results[i].Check.ID, leftover)
			}
		}
	}
	if n > shownLeftovers {
		fmt.Fprintf(b, "left behind: %d more, which -o json lists\n", n-shownLeftovers)
	}
}

// writeDifferences writes the differences of the driver's dialect from the KEP.
func (r *Report) writeDifferences(b *strings.Builder) {
	for i, d := range r.Differences {
		if i == 0 {
			fmt.Fprintf(b, "\n%s:\n", differencesHeading)
		}
		fmt.Fprintf(b, "  %s: %s; in the KEP: %s\n", d.Subject, d.Dialect, d.KEP)
	}
}
