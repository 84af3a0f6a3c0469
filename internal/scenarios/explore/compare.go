package explore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/emulator/oracle"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/spec"
)

// The oracles of exploration, in addition to the standing ones. They compare with the
// clean run.
const (
	// OracleSteps: the expectations of the scenario hold in spite of the fault.
	OracleSteps = "steps"
	// OracleState: Kubernetes ends in the same state as in the clean run.
	OracleState = "state"
	// OracleTruth: the backend ends in the same state as in the clean run.
	OracleTruth = "truth"
	// OracleCounts: creates, deletes, grants and revokes have the same subjects as in
	// the clean run, and none repeats endlessly.
	OracleCounts = "counts"
	// OracleDeletable: after an interference, everything can be deleted by ordinary means.
	OracleDeletable = "deletable"
)

// judge returns the findings of a run: of the standing oracles, of the expectations of
// the scenario, and of the comparison with the clean run.
func judge(o, clean *runResult) []oracle.Finding {
	found := oracle.Judge(o.input)
	if o.tornDown {
		found = slices.Concat(found, o.endless, undeleted(o.end))
	} else {
		found = append(found, comparedWith(clean, o)...)
	}
	found = slices.DeleteFunc(found, func(f oracle.Finding) bool { return allowed(o.result.Scenario, f) })
	for i := range found {
		found[i].Message = o.names.in(found[i].Message)
		found[i].Subject = o.names.in(found[i].Subject)
	}
	return found
}

// comparedWith returns the differences of a run from the clean run.
func comparedWith(clean, o *runResult) []oracle.Finding {
	found := stepsOf(o.result)
	for _, d := range o.state.differences(clean.state) {
		found = append(found, oracle.Finding{Oracle: oracleOf(d.name), Subject: d.name, Message: d.name + ": " + d.detail})
	}
	for _, d := range o.counts.excesses(clean.counts, max(1, len(o.faults))) {
		found = append(found, oracle.Finding{Oracle: OracleCounts, Subject: d.name, Message: d.name + ": " + d.detail})
	}
	return found
}

// allowed reports whether the scenario has an exception for a finding.
func allowed(s *spec.Scenario, f oracle.Finding) bool {
	return slices.ContainsFunc(s.Allow, func(a spec.Exception) bool {
		return a.Oracle == f.Oracle && (strings.Contains(f.Message, a.About) || strings.Contains(f.Subject, a.About))
	})
}

func oracleOf(name string) string {
	if strings.HasPrefix(name, "backend ") {
		return OracleTruth
	}
	return OracleState
}

func stepsOf(r engine.Result) []oracle.Finding {
	var found []oracle.Finding
	for _, failure := range r.Failures {
		message := failure.Message
		if failure.Step != nil {
			message = fmt.Sprintf("%s: %s: %s", failure.Position, failure.Step.Verb, message)
		}
		found = append(found, oracle.Finding{Oracle: OracleSteps, Subject: failure.Subject, Message: message})
	}
	return found
}

// trace lists the operations of each component in a run, in order.
type trace map[string][]string

// traceOf ignores log events, and normalizes all other events.
func traceOf(events []journal.Event, n *names) (trace, map[string][]journal.Event) {
	lines, behind := trace{}, map[string][]journal.Event{}
	for _, e := range inOrder(events) {
		if e.Seam == journal.SeamLog {
			continue
		}
		component := n.in(e.Component)
		lines[component] = append(lines[component], fmt.Sprintf("%s %s -> %s", e.Seam, n.in(e.Operation.String()), e.Outcome))
		behind[component] = append(behind[component], e)
	}
	return lines, behind
}

// firstDivergence returns the earliest event that differs from the clean run of its
// component. It ignores events that a fault affected.
func firstDivergence(o, clean *runResult) (journal.Event, bool) {
	got, behind := traceOf(o.events, o.names)
	want, _ := traceOf(clean.events, clean.names)
	faulted := firstFault(o.events)
	var first journal.Event
	for component, lines := range got {
		at := firstDifference(lines, want[component], behind[component], faulted)
		if at < 0 {
			continue
		}
		if e := behind[component][at]; first.Seq == 0 || e.Time.Before(first.Time) {
			first = e
		}
	}
	return first, first.Seq != 0
}

// firstDifference returns the index of the first line after the fault that differs from
// the clean run, or -1.
func firstDifference(got, want []string, events []journal.Event, fault journal.Event) int {
	for i, line := range got {
		e := events[i]
		if e.Time.Before(fault.Time) || e.Fault != "" {
			continue
		}
		if i >= len(want) || want[i] != line {
			return i
		}
	}
	return -1
}

func firstFault(events []journal.Event) journal.Event {
	for _, e := range inOrder(events) {
		if e.Fault != "" {
			return e
		}
	}
	return journal.Event{}
}
