package explore

import (
	"fmt"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/emulator/oracle"
)

// explain tells a finding as a story: what was lost, what the component did next, and
// what has come of it.
func explain(o *runResult, findings []oracle.Finding) string {
	var told []string
	events := inOrder(o.events)
	for _, f := range o.faults {
		for i, e := range events {
			if e.Fault != f.Name || e.Seam == journal.SeamProcess {
				continue
			}
			told = append(told, fmt.Sprintf("%s, when %s did %s", effectOf(f.Effect), e.Component, o.names.in(e.Operation.String())))
			if next, ok := nextOf(e.Component, events[i+1:]); ok {
				told = append(told, fmt.Sprintf("the next thing that it did was %s -> %s", o.names.in(next.Operation.String()), next.Outcome))
			}
			break
		}
	}
	if len(findings) > 0 {
		told = append(told, findings[0].Message)
	}
	return strings.Join(told, "; ")
}

// nextOf returns what a component did next at a seam, whatever its incarnation.
func nextOf(component string, events []journal.Event) (journal.Event, bool) {
	for _, e := range events {
		plain := e.Seam != journal.SeamProcess && e.Seam != journal.SeamLog
		opening := strings.HasPrefix(e.Operation.Name, "watch ") || strings.HasPrefix(e.Operation.Name, journal.EventPrefix)
		if e.Component == component && plain && !opening && e.Fault == "" {
			return e, true
		}
	}
	return journal.Event{}, false
}

// effectOf says what an effect takes away.
func effectOf(e fault.Effect) string {
	switch {
	case e.Crash == fault.Before:
		return "the component died before it happened"
	case e.Crash == fault.After:
		return "it happened, and the component died before it heard of it"
	case e.LoseReply != "":
		return "it happened, and the reply was lost"
	case e.Fail != "":
		return "it failed with " + e.Fail
	case e.Duplicate:
		return "it happened twice"
	case e.CloseWatch:
		return "the watch was cut"
	case e.Stale > 0:
		return "the answer was out of date"
	case e.Delay > 0:
		return fmt.Sprintf("it was held up for %s", e.Delay)
	}
	return "a fault was applied"
}
