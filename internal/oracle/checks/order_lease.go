package checks

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
	"github.com/cosi-emu/cosi-emu/internal/oracle/rule"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// leaseGrace is the time in which a component may still begin what it was about to do when it read that
// another holder has its Lease.
const leaseGrace = 300 * time.Millisecond

// workWithoutLease finds writes and calls of a component that elects leaders and has no Lease: it has read that
// another holder has it, or it has started and not got it yet. That holder works, too.
func workWithoutLease(e *evidence.Evidence) []Finding {
	var found []Finding
	leases := leaseReader{elects: map[string]bool{}, lost: map[string]journal.Event{}}
	for _, event := range e.Events {
		if lost, works := leases.next(event); works {
			found = append(found, withoutLease(e, lost, event))
		}
	}
	return found
}

// leaseReader follows the Leases of components.
type leaseReader struct {
	elects map[string]bool          // by component
	lost   map[string]journal.Event // why a component has no Lease
}

// next reads an event. It reports whether the event is work without a Lease, once for each loss, and why there is none.
func (l leaseReader) next(event journal.Event) (lost journal.Event, works bool) {
	lost, isLost := l.lost[event.Component]
	switch {
	case event.Seam == journal.SeamProcess && event.Operation.Name == journal.StepStart:
		delete(l.lost, event.Component)
		if l.elects[event.Component] {
			l.lost[event.Component] = event
		}
	case isLease(event):
		l.nextLease(event, isLost)
	case isLost && event.Changes() && !isReport(event) && !isSudden(lost, event):
		delete(l.lost, event.Component)
		return lost, true
	}
	return lost, false
}

func (l leaseReader) nextLease(event journal.Event, isLost bool) {
	switch {
	case event.Write() && !event.Failed():
		l.elects[event.Component] = true
		delete(l.lost, event.Component)
	case !isLost && heldByAnother(event):
		l.lost[event.Component] = event
	}
}

// isReport reports whether an event writes an Event. A component writes them later than it did what they report, and the
// last of them reports that it has lost its Lease.
func isReport(event journal.Event) bool { return strings.HasSuffix(event.Operation.Name, " events") }

// isSudden reports whether a component may have begun an operation before it knew that its Lease was lost. One
// that has just started knows that it has none.
func isSudden(lost, event journal.Event) bool {
	return lost.Seam == journal.SeamAPI && event.Time.Sub(lost.Time.Add(lost.Duration)) <= leaseGrace
}

func withoutLease(e *evidence.Evidence, lost, event journal.Event) Finding {
	one := rule.OrderOneController
	if vocabulary.IsSidecar(event.Component) {
		one = rule.OrderOneSidecar
	}
	why := "it had started, and not got its Lease yet"
	if lost.Seam == journal.SeamAPI {
		why = "it had read that another holder has its Lease " + lost.Operation.Subject
	}
	return Finding{
		Rule:    e.Rule(one),
		Subject: event.Operation.Subject, Events: []uint64{lost.Seq, event.Seq},
		Message: fmt.Sprintf("%s did %s, although %s", event.Component, event.Operation, why),
	}
}

// leaders is a part of the names of Leases by which leaders are elected. Others announce drivers.
const leaders = "-leader"

func isLease(e journal.Event) bool {
	return e.Seam == journal.SeamAPI && strings.HasSuffix(e.Operation.Name, " leases") && strings.Contains(e.Operation.Subject, leaders)
}

// heldByAnother reports whether a component has read a Lease that the emulator has given to another holder.
func heldByAnother(e journal.Event) bool {
	var lease coordinationv1.Lease
	return !e.Failed() && json.Unmarshal(e.Response, &lease) == nil &&
		lease.Spec.HolderIdentity != nil && *lease.Spec.HolderIdentity == vocabulary.OtherHolder
}
