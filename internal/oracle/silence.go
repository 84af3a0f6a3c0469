package oracle

import (
	"fmt"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// maxShown is the maximum number of events that a finding lists.
const maxShown = 5

// IsActivity reports whether an event does not occur in an idle system: a write to the API server,
// or a call to a driver. Writes of Leases and DriverGetInfo do not count.
func IsActivity(e journal.Event) bool {
	switch e.Seam {
	case journal.SeamRPC:
		return e.Operation.Name != getInfo
	default:
		return e.Write() && !strings.HasSuffix(e.Operation.Name, " leases")
	}
}

// activity finds observations in which components were still active.
func activity(e *evidence) []Finding {
	var found []Finding
	for i := range e.Observations {
		m := &e.Observations[i]
		from := m.After
		if m.Active { // then all events since the previous observation are relevant
			from = 0
			if i > 0 {
				from = e.Observations[i-1].Until
			}
		} else if e.retries(m) {
			continue
		}
		if loud := e.activity(from, m.Until); len(loud) > 0 {
			last := loud[len(loud)-1]
			found = append(found, Finding{
				Message: fmt.Sprintf("no silence %s: the last was %s by %s", m.Name, last.Operation, last.Component),
				Subject: last.Operation.Subject, Events: numbers(loud[max(0, len(loud)-maxShown):]),
			})
		}
	}
	return found
}

// activity returns the scope's events in an interval that an idle system does not have.
func (e *evidence) activity(after, until uint64) []journal.Event {
	var found []journal.Event
	for _, event := range e.events {
		if IsActivity(event) && event.Seq > after && event.Seq <= until {
			found = append(found, event)
		}
	}
	return found
}

func numbers(events []journal.Event) []uint64 {
	var all []uint64
	for _, event := range events {
		all = append(all, event.Seq)
	}
	return all
}

func (e *evidence) retries(m *Observation) bool {
	for i := range m.Objects.Buckets {
		if o := &m.Objects.Buckets[i]; e.Scope.HasNamespace(o.Spec.BucketClaimRef.Namespace) && failing(o.Status.Conditions) {
			return true
		}
	}
	for i := range m.Objects.Accesses {
		if o := &m.Objects.Accesses[i]; e.Scope.HasNamespace(o.Namespace) && failing(o.Status.Conditions) {
			return true
		}
	}
	return false
}
