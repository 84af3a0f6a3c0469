package cause

import (
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
)

// Explanation explains a finding.
type Explanation struct {
	// Why describes the action of a component, or the answer of the driver.
	Why string `json:"why,omitempty"`
	// Cause is equal for findings of the same bug, and empty if it is unknown.
	Cause string `json:"cause,omitempty"`
	// Seen are the operations that show it, and those that the faults affected.
	Seen []string `json:"seen,omitempty"`
}

// Explain finds the cause of the findings of a run by a comparison with the clean run, which may be the same.
func Explain(o, clean *run.Record, findings []checks.Finding) Explanation {
	if len(findings) == 0 {
		return Explanation{}
	}
	c := findCulprit(o, clean, findings)
	return Explanation{Why: c.text, Cause: c.cause, Seen: timetable(o, c.seen)}
}

// timetable renders the first operation of each fault, and other events, in order. Times
// count from the first event of the run.
func timetable(o *run.Record, events []journal.Event) []string {
	shown := map[uint64]bool{}
	for _, e := range events {
		shown[e.Seq] = true
	}
	sorted := run.InOrder(o.Events)
	for _, f := range o.Injected() {
		for _, e := range sorted {
			if e.Fault == f.Name && e.Seam != journal.SeamProcess {
				shown[e.Seq] = true
				break
			}
		}
	}
	var lines []string
	for _, e := range sorted {
		if shown[e.Seq] {
			lines = append(lines, o.Line(e, e.Time.Sub(sorted[0].Time)))
		}
	}
	return lines
}
