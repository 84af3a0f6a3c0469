package idle

import (
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/eventscope"
)

// TestLastProgress distinguishes a scenario's progress from other events.
func TestLastProgress(t *testing.T) {
	const ns = "story-1"
	event := func(component string, seam journal.Seam, name, subject, outcome string) journal.Event {
		return journal.Event{Component: component, Seam: seam, Operation: journal.Operation{Name: name, Subject: subject}, Outcome: outcome}
	}
	for name, tc := range map[string]struct {
		event journal.Event
		want  bool
	}{
		"Write":  {event("controller", journal.SeamAPI, "patch bucketclaims", ns+"/photos", journal.OutcomeOK), true},
		"Call":   {event("sidecar", journal.SeamRPC, "DriverCreateBucket", ns, journal.OutcomeOK), true},
		"Failed": {event("sidecar", journal.SeamRPC, "DriverCreateBucket", ns, "Unavailable"), false},
		"Read":   {event("controller", journal.SeamAPI, "get bucketclaims", ns+"/photos", journal.OutcomeOK), false},
		"Event":  {event("controller", journal.SeamAPI, "create events", ns+"/photos.1", journal.OutcomeOK), false},
		"User":   {event("administrator", journal.SeamAPI, "patch bucketclaims", ns+"/photos", journal.OutcomeOK), false},
		"Other":  {event("controller", journal.SeamAPI, "patch bucketclaims", "story-2/photos", journal.OutcomeOK), false},
	} {
		t.Run(name, func(t *testing.T) {
			j := journal.New(journal.Options{})
			scope := eventscope.Scope{Namespaces: []string{ns}}
			tc.event.Time, tc.event.Duration = time.Now(), time.Second
			appended := j.Append(tc.event)
			got := LastProgress(j, scope, 0)
			if want := appended.Time.Add(time.Second); tc.want != got.Equal(want) {
				t.Errorf("LastProgress() = %v, want that of the event: %t", got, tc.want)
			}
			if got := LastProgress(j, scope, appended.Seq); !got.IsZero() {
				t.Errorf("LastProgress() after the event = %v, want none", got)
			}
		})
	}
}
