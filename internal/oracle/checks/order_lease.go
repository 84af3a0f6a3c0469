package checks

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// leaseGrace is the time in which a component may still begin what it was about to do when it read that
// another holder has its Lease.
const leaseGrace = 300 * time.Millisecond

// workWithoutLease finds writes and calls of a component that has read that another holder has its Lease, and
// has not got it back. That holder works, too.
func workWithoutLease(e *evidence.Evidence) []Finding {
	var found []Finding
	lost := map[string]journal.Event{} // by component
	for _, event := range e.Events {
		name := event.Operation.Name
		switch before, isLost := lost[event.Component]; {
		case event.Seam == journal.SeamProcess && name == journal.StepStart, isLease(event) && event.Write() && !event.Failed():
			delete(lost, event.Component)
		case isLease(event):
			if !isLost && heldByAnother(event) {
				lost[event.Component] = event
			}
		case isLost && BreaksSilence(event) && event.Time.Sub(before.Time.Add(before.Duration)) > leaseGrace:
			delete(lost, event.Component) // one finding is enough
			found = append(found, Finding{
				Subject: event.Operation.Subject, Events: []uint64{before.Seq, event.Seq},
				Message: fmt.Sprintf("%s did %s, although it had read that another holder has its Lease %s",
					event.Component, event.Operation, before.Operation.Subject),
			})
		}
	}
	return found
}

func isLease(e journal.Event) bool {
	return e.Seam == journal.SeamAPI && strings.HasSuffix(e.Operation.Name, " leases")
}

// heldByAnother reports whether a component has read a Lease that the emulator has given to another holder.
func heldByAnother(e journal.Event) bool {
	var lease coordinationv1.Lease
	return !e.Failed() && json.Unmarshal(e.Response, &lease) == nil &&
		lease.Spec.HolderIdentity != nil && *lease.Spec.HolderIdentity == vocabulary.OtherHolder
}
