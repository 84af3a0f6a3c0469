package checks

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/oracle/rule"
)

const (
	// paceAttempts is the number of consecutive failures that are judged. With back-off from the
	// default delays they take more than ten seconds.
	paceAttempts = 8
	// paceGaps is the number of gaps that are compared, the first with the last.
	paceGaps = 3
	// paceGrowth is the required growth of the gaps. With back-off they grow by sixteen; the margin
	// is for slow machines.
	paceGrowth = 2
)

// attempts are consecutive failures of one operation by one incarnation.
type attempts struct {
	events []journal.Event
}

type attempted struct {
	component       string
	incarnation     int
	name, aboutWhat string
}

// tooFast finds operations that components repeat too often.
func tooFast(e *evidence.Evidence) []Finding { return append(fastRetries(e), eventStorms(e)...) }

// fastRetries finds calls and writes that are retried without back-off. Deliberately short delays
// are not judged.
func fastRetries(e *evidence.Evidence) []Finding {
	if !e.DefaultDelays {
		return nil
	}
	all := map[attempted]*attempts{}
	var found []Finding
	for _, event := range e.ScopeEvents {
		if !isAttempt(event) {
			continue
		}
		key := attempted{event.Component, event.Incarnation, event.Operation.Name, event.Operation.Subject}
		if !event.Failed() {
			delete(all, key)
			continue
		}
		if all[key] == nil {
			all[key] = &attempts{}
		}
		a := all[key]
		a.events = append(a.events, event)
		if len(a.events) == paceAttempts && !a.slowDown() {
			found = append(found, a.finding(e))
		}
	}
	return found
}

// isAttempt reports whether an event is a call, or a write to an object. A conflict is correctly
// retried at once, because the component has new data.
func isAttempt(e journal.Event) bool {
	switch {
	case evidence.IsCall(e):
		return e.Operation.Name != evidence.GetInfo
	default:
		return e.Write() && e.Operation.Subject != "" && e.Outcome != "Conflict" &&
			!strings.HasSuffix(e.Operation.Name, " leases") && !strings.HasSuffix(e.Operation.Name, " events")
	}
}

// slowDown reports whether the gaps between attempts have grown.
func (a *attempts) slowDown() bool {
	var gaps []time.Duration
	for i, e := range a.events[1:] {
		before := a.events[i]
		gaps = append(gaps, e.Time.Sub(before.Time.Add(before.Duration)))
	}
	sum := func(gaps []time.Duration) (total time.Duration) {
		for _, gap := range gaps {
			total += max(gap, 0)
		}
		return total
	}
	return sum(gaps[len(gaps)-paceGaps:]) >= paceGrowth*sum(gaps[:paceGaps])
}

func (a *attempts) finding(e *evidence.Evidence) Finding {
	first, last := a.events[0], a.events[len(a.events)-1]
	return Finding{
		Rule:    e.Rule(rule.PaceBackOff),
		Subject: first.Operation.Subject, Events: numbers(slices.Clone(a.events)),
		Message: fmt.Sprintf("%s has repeated %s %d times in %s after failures, without back-off",
			first.Component, first.Operation, len(a.events)-1, last.Time.Sub(first.Time).Round(time.Millisecond)),
	}
}
