package checks

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
)

// Limits for the writes of one Kubernetes Event by a component during eventMemory. The recorders of
// client-go create it once, whatever the delays between attempts are, and again after it was
// deleted. Repetitions are patches: the newer recorder sends one, and then one in half an hour; the
// older recorder at most 25 in a row for one object. Controllers whose default delays begin with 5
// ms make at most 17 attempts in five minutes, so attempts with back-off do not explain more
// patches. A restarted component starts anew, because its recorder remembers nothing.
const (
	maxSameCreated = 5
	maxSameWritten = 20
	// eventMemory is less than the six minutes for which recorders remember an Event.
	eventMemory = 5 * time.Minute
)

// sameEvent identifies Events that a recorder considers equal. They include the version of the
// object: an Event about another state is another Event.
type sameEvent struct {
	component            string
	incarnation          int
	regarding            corev1.ObjectReference
	reason, action, note string
}

type repeated struct {
	since           time.Time
	created, events []journal.Event
	found           bool
}

// kubernetesEvent has the fields of both APIs of Events.
type kubernetesEvent struct {
	Regarding      corev1.ObjectReference `json:"regarding"`
	InvolvedObject corev1.ObjectReference `json:"involvedObject"`
	Reason         string                 `json:"reason"`
	Action         string                 `json:"action"`
	Note           string                 `json:"note"`
	Message        string                 `json:"message"`
}

// eventStorms finds Events that a component writes too often.
func eventStorms(e *evidence.Evidence) []Finding {
	all := map[sameEvent]*repeated{}
	var found []Finding
	for _, event := range e.ScopeEvents {
		key, ok := sameEventOf(event)
		if !ok {
			continue
		}
		r := all[key]
		if r == nil || event.Time.Sub(r.since) > eventMemory {
			r = &repeated{since: event.Time, found: r != nil && r.found}
			all[key] = r
		}
		r.add(event)
		if !r.found && r.tooMany() {
			r.found = true
			found = append(found, r.finding(key))
		}
	}
	return found
}

// sameEventOf reads the Event that a component has written.
func sameEventOf(e journal.Event) (sameEvent, bool) {
	if !e.Write() || e.Failed() || !strings.HasSuffix(e.Operation.Name, " events") || strings.HasPrefix(e.Operation.Name, "delete") {
		return sameEvent{}, false
	}
	var written kubernetesEvent
	if json.Unmarshal(e.Response, &written) != nil || written.Reason == "" {
		return sameEvent{}, false
	}
	key := sameEvent{
		component: e.Component, incarnation: e.Incarnation, regarding: written.Regarding,
		reason: written.Reason, action: written.Action, note: written.Note + written.Message,
	}
	if key.regarding.Name == "" {
		key.regarding = written.InvolvedObject
	}
	return key, true
}

func (r *repeated) add(e journal.Event) {
	r.events = append(r.events, e)
	if strings.HasPrefix(e.Operation.Name, "create ") {
		r.created = append(r.created, e)
	}
}

func (r *repeated) tooMany() bool {
	return len(r.created) > maxSameCreated || len(r.events) > maxSameWritten
}

func (r *repeated) finding(key sameEvent) Finding {
	last := r.events[len(r.events)-1]
	return Finding{
		Subject: key.regarding.Kind + "/" + key.regarding.Name, Events: numbers(r.events),
		Message: fmt.Sprintf("%s has written the same Event %s (%q) of %s %s %d times in %s, and has created it %d times: "+
			"a recorder counts repetitions in one Event",
			key.component, key.reason, key.note, key.regarding.Kind, key.regarding.Name, len(r.events),
			last.Time.Sub(r.since).Round(time.Millisecond), len(r.created)),
	}
}
