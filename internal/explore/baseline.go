package explore

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/counted"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// Baseline is about the findings of the runs without faults.
type Baseline struct {
	// Findings is the number of these findings, each with a different object or text.
	Findings int `json:"findings"`
	// Allow are lines for the scenario's field allow. They accept the findings of the standing oracles.
	Allow []string `json:"allow,omitempty"`
	// Terminal means that no fault was tried: an object cannot become as the scenario expects.
	Terminal bool `json:"terminal,omitempty"`
}

func (e *explorer) baselineReport() *Baseline {
	if !e.unclean {
		return nil
	}
	b := &Baseline{Terminal: e.terminal}
	for _, result := range e.found {
		b.Findings += len(result.Findings)
		for _, f := range result.Findings {
			if line, ok := allowing(f); ok && !slices.Contains(b.Allow, line) {
				b.Allow = append(b.Allow, line)
			}
		}
	}
	return b
}

// allowing returns the line of a scenario that accepts a finding. The scenario's own expectations, and
// comparisons between runs, cannot be accepted.
func allowing(f checks.Finding) (line string, ok bool) {
	if !slices.Contains(vocabulary.OracleNames(), f.Oracle) {
		return "", false
	}
	longest := ""
	for _, part := range changing.Split(f.Message, -1) {
		if part = strings.TrimSpace(part); len(part) > len(longest) {
			longest = part
		}
	}
	return fmt.Sprintf("- {oracle: %s, about: %q, reason: also without faults}", f.Oracle, longest), true
}

// changing matches the parts of a message that differ between runs: names, times and numbers.
var changing = regexp.MustCompile(`"[^"]*"|<[^<>]*>|[^ ]*\d[^ ]*`)

// writeText prints how many findings no fault causes, and how to accept them.
func (b *Baseline) writeText(w *strings.Builder) {
	if b == nil {
		return
	}
	if b.Terminal {
		fmt.Fprintln(w, "the scenario fails without a fault, and waiting does not help: no fault was tried; correct the object that it names")
		return
	}
	fmt.Fprintf(w, "without a fault: %s first; the runs with faults are judged without them\n", counted.Of(b.Findings, "finding"))
	if len(b.Allow) == 0 {
		return
	}
	fmt.Fprintln(w, "to accept what the oracles find, add these lines to the scenario:\n\n  allow:")
	for _, line := range b.Allow {
		fmt.Fprintf(w, "  %s\n", line)
	}
}
