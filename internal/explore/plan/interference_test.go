package plan

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
)

// TestInterferences enumerates deletions with the objects that exist at each operation: the
// namespace and the class from the beginning.
func TestInterferences(t *testing.T) {
	const claim = run.Namespace + "/photos"
	event := func(component, name, subject, response string) journal.Event {
		return journal.Event{
			Component: component, Seam: journal.SeamAPI, Operation: journal.Operation{Name: name, Subject: subject},
			Outcome: journal.OutcomeOK, Response: json.RawMessage(response),
		}
	}
	told := func(name, subject, kind string) journal.Event {
		e := event("controller", name, subject, `"`+kind+`"`)
		e.Outcome, e.Fault = "Delayed", run.Probe.Name
		return e
	}
	gold := v1alpha2.BucketClass{ObjectMeta: metav1.ObjectMeta{Name: "gold"}}
	o := &run.Record{Names: run.NewNames("s"), End: observed.Observation{
		Objects: observed.Objects{BucketClasses: []v1alpha2.BucketClass{gold}},
	}, Events: []journal.Event{
		told("event bucketclaims", claim, "ADDED"),
		event("controller", "get bucketclaims", claim, `{"spec":{"bucketClassName":"gold"}}`),
		event("sidecar", "get buckets", "old", `{"spec":{"bucketClassName":"none"}}`),
		event("controller", "create buckets", "bc-11111111-1111-1111-1111-111111111111", "{}"),
		told("event bucketclaims", claim, "DELETED"),
		event("administrator", "delete buckets", "bc-11111111-1111-1111-1111-111111111111", "{}"),
		event("sidecar", "patch buckets", "bc-11111111-1111-1111-1111-111111111111", "{}"),
	}}
	for i := range o.Events {
		o.Events[i].Seq, o.Events[i].Time = uint64(i+1), time.Unix(int64(i), 0)
	}
	want := []string{
		"delete BucketClaim/photos after controller api get bucketclaims */photos",
		"delete BucketClaim/photos after sidecar api get buckets old",
		"delete BucketClaim/photos before controller api create buckets bc-*",
		"delete BucketClaim/photos after controller api create buckets bc-*",
		"delete BucketClaim/photos before controller api event bucketclaims */photos (no. 2)",
		"delete Bucket/bc-* before controller api event bucketclaims */photos (no. 2)",
		"delete Bucket/bc-* before sidecar api patch buckets bc-*",
		"delete Bucket/bc-* after sidecar api patch buckets bc-*",
	}
	var got []string
	before := map[string]int{} // cases with the objects before the first step
	for _, trial := range Interferences(o, []Kind{"delete", "make-immutable"}, "") {
		if trial.Effect.Object == "Namespace/explore" || trial.Effect.Object == "BucketClass/gold" {
			before[trial.Effect.Object]++
			continue
		}
		got = append(got, trial.String())
		if err := (Case{trial}).Faults()[0].Validate(); err != nil {
			t.Error(err)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if want := map[string]int{"Namespace/explore": 8, "BucketClass/gold": 8}; !cmp.Equal(want, before) {
		t.Errorf("cases with the namespace and the class: %v, want %v", before, want)
	}
}

// TestSameAsAnother lists the interferences that are tried with objects without finalizers and dependents.
func TestSameAsAnother(t *testing.T) {
	for kind, want := range map[string][]fault.Interference{
		"Namespace":         {fault.Delete},
		"BucketClass":       {fault.Delete, fault.Recreate, fault.RecreateOtherSpec},
		"BucketAccessClass": {fault.Delete, fault.Recreate, fault.RecreateOtherSpec},
	} {
		var got []fault.Interference
		for _, trial := range interferencesAt(run.Point{Operation: "patch buckets"}, nil, []string{kind + "/o"}) {
			if !trial.Effect.After {
				got = append(got, trial.Effect.Interfere)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", kind, diff)
		}
	}
}

// TestObjectsEnd verifies that an object ends with the request that ended it, before the watch
// event.
func TestObjectsEnd(t *testing.T) {
	const (
		status   = `{"kind":"Status","status":"Success","details":{"name":"key"}}`
		deleting = `{"kind":"Secret","metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"`
		held     = deleting + `,"finalizers":["example.com/audit"]}}`
	)
	for _, tc := range []struct {
		reason, operation, response string
		ended                       bool
	}{
		{"It had no finalizer.", "delete secrets", status, true},
		{"It waits for its finalizers.", "delete secrets", held, false},
		{"Its last finalizer is removed.", "patch secrets", deleting + "}}", true},
		{"Its last finalizer is removed.", "update secrets", deleting + "}}", true},
		{"One of two finalizers is removed.", "patch secrets", held, false},
		{"It is not being deleted.", "patch secrets", `{"kind":"Secret","metadata":{}}`, false},
		{"A read changes nothing.", "get secrets", deleting + "}}", false},
	} {
		there := &objects{names: run.NewNames("s"), all: []string{"Secret/key"}}
		there.observe(journal.Event{
			Seam: journal.SeamAPI, Operation: journal.Operation{Name: tc.operation, Subject: run.Namespace + "/key"},
			Outcome: journal.OutcomeOK, Response: json.RawMessage(tc.response),
		})
		if ended := len(there.all) == 0; ended != tc.ended {
			t.Errorf("%s %s: ended %t, want %t", tc.reason, tc.operation, ended, tc.ended)
		}
	}
}

// TestObjectsLateEvents verifies that a watch that lags behind a request does not bring an object back.
func TestObjectsLateEvents(t *testing.T) {
	const ended = `{"kind":"Status","status":"Success"}`
	type event struct{ operation, response string }
	create, end := event{"create secrets", `{"kind":"Secret"}`}, event{"delete secrets", ended}
	added, modified, deleted := event{"event secrets", `"ADDED"`}, event{"event secrets", `"MODIFIED"`}, event{"event secrets", `"DELETED"`}
	for name, tc := range map[string]struct {
		reason string
		events []event
		exists bool
	}{
		"Watched":        {"An object of a user.", []event{added}, true},
		"LateAdded":      {"The watch has not reported the deletion yet.", []event{create, end, added}, false},
		"LateModified":   {"The watch reports what was before the deletion.", []event{create, added, end, modified}, false},
		"LateOfAnother":  {"The watch of another component lags behind.", []event{create, added, end, deleted, modified}, false},
		"CreatedAgain":   {"A component creates it again.", []event{create, added, end, create, modified, deleted, added}, true},
		"AppliedAgain":   {"A user creates it again.", []event{added, end, deleted, added}, true},
		"DeletedByAUser": {"Only the watch reports it.", []event{added, deleted}, false},
	} {
		t.Run(name, func(t *testing.T) {
			there := &objects{names: run.NewNames("s")}
			for _, e := range tc.events {
				there.observe(journal.Event{
					Seam: journal.SeamAPI, Operation: journal.Operation{Name: e.operation, Subject: run.Namespace + "/key"},
					Outcome: journal.OutcomeOK, Response: json.RawMessage(e.response),
				})
			}
			if exists := slices.Contains(there.all, "Secret/key"); exists != tc.exists {
				t.Errorf("%s exists %t, want %t", tc.reason, exists, tc.exists)
			}
		})
	}
}
