package explore

import (
	"fmt"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/emulator/oracle"
)

// explain describes a finding: the operation that each fault affected, the next operation
// of the component, and the message of the first finding.
func explain(o *runResult, findings []oracle.Finding) string {
	var parts []string
	events := inOrder(o.events)
	for _, f := range o.faults {
		for i, e := range events {
			if e.Fault != f.Name || e.Seam == journal.SeamProcess {
				continue
			}
			parts = append(parts, fmt.Sprintf("%s: %s %s", effectOf(f.Effect), e.Component, o.names.in(e.Operation.String())))
			if next, ok := nextOf(e.Component, events[i+1:]); ok {
				parts = append(parts, fmt.Sprintf("its next operation: %s -> %s", o.names.in(next.Operation.String()), next.Outcome))
			}
			break
		}
	}
	if len(findings) > 0 {
		parts = append(parts, findings[0].Message)
	}
	return strings.Join(parts, "; ")
}

// nextOf returns the next operation of a component, in any incarnation.
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

// effectOf describes an effect.
func effectOf(e fault.Effect) string {
	switch {
	case e.Interfere != "" && e.After:
		return fmt.Sprintf("%s of %s after the operation, before the response", e.Interfere, e.Object)
	case e.Interfere != "":
		return fmt.Sprintf("%s of %s before the operation", e.Interfere, e.Object)
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
