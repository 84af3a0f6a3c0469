package run

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

const someUID = "11111111-2222-3333-4444-555555555555"

func event(component string, seam journal.Seam, operation, subject string, at int) journal.Event {
	return journal.Event{
		Seq: uint64(at) + 1, Time: time.Unix(int64(at), 0), Component: component, Seam: seam, //nolint:gosec // small
		Operation: journal.Operation{Name: operation, Subject: subject}, Outcome: journal.OutcomeOK,
	}
}

func TestPattern(t *testing.T) {
	tests := map[string]struct{ reason, name, want string }{
		"Namespace": {"The namespace differs from run to run.", "explore/photos", "*/photos"},
		"UID":       {"It differs from run to run.", "bc-" + someUID, "bc-*"},
		"Event":     {"The name of an Event ends with the time.", "explore/photos.18ea14bd42efda7f", "*/photos.*"},
		"Both":      {"Adjacent stars are merged.", "default/bc-" + someUID + ".18ea14bd42efda7f", "default/bc-*.*"},
		"Scope":     {"The engine numbers scopes.", "sidecar.one.story-12", "sidecar.one.*"},
		"Plain":     {"", "bc-story", "bc-story"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := NewNames("story").Pattern(tc.name); got != tc.want {
				t.Errorf("%s got %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

func TestPoints(t *testing.T) {
	events := []journal.Event{
		event("sidecar", journal.SeamRPC, "DriverCreateBucket", "bc-"+someUID, 3), // ended first, began last
		event("controller", journal.SeamAPI, "patch bucketclaims", "explore/a", 1),
		event("controller", journal.SeamLog, "info", "", 1),
		event("controller", journal.SeamAPI, "get /apis", "", 1),
		event("controller", journal.SeamAPI, "patch bucketclaims", "explore/b", 2),
		event("controller", journal.SeamAPI, "patch bucketclaims", "explore/a", 4),
		event("controller", journal.SeamProcess, "crash", "", 5),
		event("controller", journal.SeamAPI, "patch bucketclaims", "explore/a", 6),
		event("controller", journal.SeamAPI, "patch bucketclaims", "explore/a", 7),
	}
	events[7].Fault, events[8].Fault = "of-the-scenario", Probe.Name
	want := []Point{
		{"controller", journal.SeamAPI, "patch bucketclaims", "*/a", 1},
		{"controller", journal.SeamAPI, "patch bucketclaims", "*/b", 1},
		{"sidecar", journal.SeamRPC, "DriverCreateBucket", "bc-*", 1},
		{"controller", journal.SeamAPI, "patch bucketclaims", "*/a", 2},
		{"controller", journal.SeamAPI, "patch bucketclaims", "*/a", 4},
	}
	if diff := cmp.Diff(want, PointsOf(events, NewNames("story"))); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
