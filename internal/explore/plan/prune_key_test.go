package plan

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
)

// TestPruneKeys verifies which operations have the same key in two runs that differ only in their
// object.
func TestPruneKeys(t *testing.T) {
	event := func(component string, seam journal.Seam, operation string, at int64) journal.Event {
		return journal.Event{
			Time: time.Unix(at, 0), Component: component, Seam: seam, Operation: journal.Operation{Name: operation, Subject: "b"},
			Outcome: journal.OutcomeOK,
		}
	}
	withPhase := func(component, phase string, more ...journal.Event) *run.Record {
		get := event(component, journal.SeamAPI, "get buckets", 1)
		get.Response = json.RawMessage(`{"kind":"Bucket","metadata":{"name":"b"},"spec":{"phase":"` + phase + `"}}`)
		return &run.Record{Names: run.NewNames("story"), Events: append([]journal.Event{
			get,
			event(component, journal.SeamAPI, "patch buckets", 2),
			event(component, journal.SeamRPC, "DriverCreateBucket", 3),
		}, more...)}
	}
	failed := event("sidecar.one", journal.SeamRPC, "DriverCreateBucket", 3)
	failed.Outcome = "Unavailable"
	again := event("sidecar.one", journal.SeamRPC, "DriverCreateBucket", 4)
	tests := map[string]struct {
		first, second *run.Record
		want          map[Prune][]int // indexes in the second run that equal one in the first
	}{
		"the same": {
			withPhase("sidecar.one", "a"), withPhase("sidecar.one", "a"),
			map[Prune][]int{PruneState: {0, 1, 2}, PruneObject: {0, 1, 2}, PruneStep: {0, 1, 2}},
		},
		"of another driver": {
			withPhase("sidecar.one", "a"), withPhase("sidecar.two", "a"),
			map[Prune][]int{PruneState: nil, PruneObject: {0, 1, 2}, PruneStep: {0, 1, 2}},
		},
		"another object": {
			withPhase("sidecar.one", "a"), withPhase("sidecar.one", "b"),
			map[Prune][]int{PruneState: {0}, PruneObject: {0, 2}, PruneStep: {0, 1, 2}}, // a call has no object
		},
		"again, after a failure": {
			withPhase("sidecar.one", "a"), &run.Record{Names: run.NewNames("story"), Events: []journal.Event{failed, again}},
			map[Prune][]int{PruneState: nil, PruneObject: nil, PruneStep: nil},
		},
	}
	for name, tc := range tests {
		for prune, want := range tc.want {
			t.Run(name+"/"+string(prune), func(t *testing.T) {
				known := map[string]bool{}
				for _, s := range PruneKeys(tc.first, prune) {
					known[s.State] = true
				}
				var got []int
				for i, s := range PruneKeys(tc.second, prune) {
					if known[s.State] {
						got = append(got, i)
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("-want, +got:\n%s", diff)
				}
			})
		}
	}
}
