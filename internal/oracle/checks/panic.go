package checks

import (
	"fmt"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/oracle/rule"
)

// panics finds processes that the Go runtime ended. A panic belongs to the scope of the component's last
// operation.
func panics(e *evidence.Evidence) []Finding {
	var found []Finding
	last := map[string]journal.Event{} // by component
	for _, event := range e.Events {
		switch {
		case event.Seam == journal.SeamAPI || event.Seam == journal.SeamRPC || event.Seam == journal.SeamStore:
			last[event.Component] = event
		case event.Seam == journal.SeamProcess && event.Operation.Name == journal.StepFail:
			reason, ok := panicOf(event.Message)
			before, known := last[event.Component]
			if !ok || known && !e.Scope.Concerns(before) && !e.IDs[before.Operation.Subject] {
				continue
			}
			f := Finding{Rule: e.Rule(rule.PanicEnded), Subject: event.Component, Events: []uint64{event.Seq}}
			after := ""
			if known {
				f.Events = []uint64{before.Seq, event.Seq}
				after = fmt.Sprintf(" after %s -> %s", before.Operation, before.Outcome)
			}
			f.Message = fmt.Sprintf("%s ended with a panic%s: %s", event.Component, after, reason)
			found = append(found, f)
		}
	}
	return found
}

// panicOf returns the reason that the Go runtime printed.
func panicOf(message string) (reason string, ok bool) {
	for _, prefix := range []string{": panic: ", ": fatal error: "} {
		if _, after, found := strings.Cut(message, prefix); found {
			reason, _, _ = strings.Cut(after, "\n")
			return reason, true
		}
	}
	return "", false
}
