package explore

import (
	"fmt"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
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

func explain(o, clean *runResult, findings []checks.Finding) Explanation {
	if len(findings) == 0 {
		return Explanation{}
	}
	c := findCulprit(o, clean, findings)
	return Explanation{Why: c.text, Cause: c.cause, Seen: timetable(o, c.seen)}
}

// timetable renders the first operation of each fault, and other events, in order. Times
// count from the first event of the run.
func timetable(o *runResult, events []journal.Event) []string {
	shown := map[uint64]bool{}
	for _, e := range events {
		shown[e.Seq] = true
	}
	sorted := inOrder(o.events)
	for _, f := range o.injected() {
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
			lines = append(lines, o.line(e, e.Time.Sub(sorted[0].Time)))
		}
	}
	return lines
}

// line renders an event in a line, without values that differ between runs, except its time.
func (o *runResult) line(e journal.Event, after time.Duration) string {
	text := fmt.Sprintf("+%.3fs %s %s %s -> %s", after.Seconds(), e.Component, e.Seam, e.Operation, e.Outcome)
	if e.Message != "" {
		text += ": " + oneLine(e.Message)
	}
	if e.Fault != "" && e.Fault != probe.Name {
		text += " [fault: " + e.Fault + "]"
	}
	return o.names.in(text)
}

func (c Case) describe() string {
	if len(c) == 0 {
		return "none: the run without faults shows it"
	}
	texts := make([]string, len(c))
	for i, t := range c {
		texts[i] = t.String()
		if !t.interferes() {
			texts[i] += ": " + effectOf(t.Effect)
		}
	}
	return strings.Join(texts, " + ")
}

func effectOf(e fault.Effect) string {
	switch {
	case e.Crash == fault.Before:
		return "crash before the operation"
	case e.Crash == fault.After:
		return "crash after the operation, before the response"
	case e.LoseReply != "":
		return "operation succeeded, response lost"
	case e.Fail != "":
		return "operation failed with " + e.Fail
	case e.Duplicate:
		return "operation executed twice"
	case e.CloseWatch:
		return "watch closed"
	case e.Stale > 0:
		return "stale response"
	case e.Delay > 0:
		return fmt.Sprintf("operation delayed by %s", e.Delay)
	}
	return "fault applied"
}
