package plan

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// TestTimeTravels has a sidecar that calls its driver twice after it has written, and a Bucket that ends.
func TestTimeTravels(t *testing.T) {
	begin := time.Now()
	clean := &run.Record{Names: run.NewNames("s")}
	add := func(component string, seam journal.Seam, operation, subject string) *journal.Event {
		clean.Events = append(clean.Events, journal.Event{
			Component: component, Seam: seam, Outcome: journal.OutcomeOK, Time: begin.Add(time.Duration(len(clean.Events)) * time.Second),
			Operation: journal.Operation{Name: operation, Subject: subject},
		})
		return &clean.Events[len(clean.Events)-1]
	}
	add("sidecar", journal.SeamAPI, "patch buckets", "b")
	add("sidecar", journal.SeamAPI, "get buckets", "b")
	add("sidecar", journal.SeamRPC, "DriverGenerateBucketId", "b")
	add("sidecar", journal.SeamRPC, "DriverCreateBucket", "b")
	add("sidecar", journal.SeamAPI, "create events", "default/e")
	add("driver", journal.SeamStore, "AdminCreateBucket", "b")
	add(vocabulary.Administrator, journal.SeamAPI, "delete buckets", "b")
	add("sidecar", journal.SeamRPC, "DriverDeleteBucket", "b")
	for _, change := range []string{`"MODIFIED"`, `"DELETED"`} {
		event := add("sidecar", journal.SeamAPI, journal.EventPrefix+"buckets", "b")
		event.Fault, event.Response = run.Probe.Name, json.RawMessage(change)
	}
	var got []string
	for _, c := range TimeTravels(clean, "") {
		got = append(got, c.String())
		for _, f := range c.Faults() {
			if err := f.Validate(); err != nil {
				t.Errorf("%s cannot be injected: %v", c, err)
			}
		}
	}
	const patch, generate, remove = "sidecar api patch buckets b", "sidecar rpc DriverGenerateBucketId b", "sidecar rpc DriverDeleteBucket b"
	travel := func(from, to string) string {
		return "moment at " + from + " + crash-after at " + to + " + time-travel of sidecar api *"
	}
	want := []string{
		travel(patch, generate), travel(patch, "sidecar rpc DriverCreateBucket b"), travel(generate, "sidecar rpc DriverCreateBucket b"),
		travel(patch, remove), travel(generate, remove),
	}
	const ended = "sidecar api event buckets b (no. 2)"
	want = append(want, travel(patch, ended), travel(generate, ended), travel(remove, ended))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	faults := TimeTravels(clean, "")[0].Faults()
	first, crash, last := faults[0], faults[1], faults[2]
	if first.Until != crash.Name || last.Since != crash.Name || last.AsOf != first.Name || last.Optional {
		t.Errorf("faults %+v, want a moment before the crash, and after it a state of that moment, which must be reached", faults)
	}
	if got := TimeTravels(clean, "controller *"); len(got) > 0 {
		t.Errorf("of another component: %v", got)
	}
}
