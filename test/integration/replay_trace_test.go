package integration_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/replay"
)

const (
	uidA = "aaaaaaaa-0000-4000-8000-000000000001"
	uidB = "bbbbbbbb-0000-4000-8000-000000000002"
)

// story is the events of a run whose scope is photos-N and whose claim has a UID.
func story(scope, uid string) []journal.Event {
	claim := json.RawMessage(fmt.Sprintf(`{"kind":"BucketClaim","metadata":{"name":"c","namespace":%q,"uid":%q}}`, scope, uid))
	events := []journal.Event{
		{
			Component: "controller", Seam: journal.SeamAPI,
			Operation: journal.Operation{Name: "patch bucketclaims", Subject: scope + "/c"}, Response: claim,
		},
		{Component: "controller", Seam: journal.SeamAPI, Operation: journal.Operation{Name: "create buckets", Subject: "bc-" + uid}},
		{Component: "controller", Seam: journal.SeamAPI, Operation: journal.Operation{Name: "get buckets", Subject: "bc-" + uid}},
		{
			Component: "sidecar", Seam: journal.SeamRPC, Operation: journal.Operation{Name: "DriverCreateBucket", Subject: "bc-" + uid},
			Request: json.RawMessage(`{"bucketId":"bc-` + uid + `"}`),
		},
		{Component: "driver", Seam: journal.SeamStore, Operation: journal.Operation{Name: "AdminCreateBucket", Subject: "bc-" + uid}},
		{Component: "controller", Seam: journal.SeamAPI, Operation: journal.Operation{Name: "patch bucketclaims/status", Subject: scope + "/c"}},
	}
	for i := range events {
		events[i].Seq, events[i].Outcome = uint64(i+1), "OK"
	}
	return events
}

func TestDiverge(t *testing.T) {
	tests := map[string]struct {
		reason string
		change func([]journal.Event) []journal.Event
		// want is the recorded and the replayed act; empty if there is no divergence.
		want []string
	}{
		"Same": {reason: "Names that differ are no difference.", change: func(e []journal.Event) []journal.Event { return e }},
		"Order": {
			reason: "Components do not wait for each other.",
			change: func(e []journal.Event) []journal.Event { e[4], e[5] = e[5], e[4]; return e },
		},
		"Reads": {
			reason: "The number of reads does not matter.",
			change: func(e []journal.Event) []journal.Event { return append(e, e[2], e[2]) },
		},
		"Again": {
			reason: "A status may be written once more, and be tried in vain.",
			change: func(e []journal.Event) []journal.Event {
				conflict := e[5]
				conflict.Outcome = "Conflict"
				return append(e, conflict, e[5])
			},
		},
		"Foreign": {
			reason: "What another scenario does is not looked at.",
			change: func(e []journal.Event) []journal.Event {
				other := e[5]
				other.Operation.Subject = "photos-10/other"
				return append(e, other)
			},
		},
		"Outcome": {
			reason: "Another outcome.",
			change: func(e []journal.Event) []journal.Event { e[3].Outcome = "Unavailable"; return e },
			want: []string{
				`DriverCreateBucket bc-<BucketClaim c> -> OK {"bucketId":"bc-<BucketClaim c>"}`,
				`DriverCreateBucket bc-<BucketClaim c> -> Unavailable {"bucketId":"bc-<BucketClaim c>"}`,
			},
		},
		"Fault": {
			reason: "A fault that was not there.",
			change: func(e []journal.Event) []journal.Event { e[5].Fault = "f"; return e },
			want: []string{
				"patch bucketclaims/status <scope>/c -> OK", "patch bucketclaims/status <scope>/c -> OK [fault: f]",
			},
		},
		"Missing": {
			reason: "Something was not done.",
			change: func(e []journal.Event) []journal.Event { return append(e[:4:4], e[5]) },
			want:   []string{"AdminCreateBucket bc-<BucketClaim c> -> OK", ""},
		},
		"More": {
			reason: "Something was done that was not.",
			change: func(e []journal.Event) []journal.Event {
				more := e[4]
				more.Operation.Name = "AdminDeleteBucket"
				return append(e, more)
			},
			want: []string{"", "AdminDeleteBucket bc-<BucketClaim c> -> OK"},
		},
		"First": {
			reason: "The earliest of several.",
			change: func(e []journal.Event) []journal.Event {
				e[5].Outcome, e[1].Outcome = "Forbidden", "Forbidden"
				return e
			},
			want: []string{"create buckets bc-<BucketClaim c> -> OK", "create buckets bc-<BucketClaim c> -> Forbidden"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			recorded := replay.NewTrace("photos-1", story("photos-1", uidA))
			replayed := replay.NewTrace("photos-3", tc.change(story("photos-3", uidB)))
			var got []string
			if d := replay.Diff(recorded, replayed); d != nil {
				got = []string{d.Recorded, d.Replayed}
				if !strings.Contains(d.String(), "recorded  ") {
					t.Errorf("String(): %s", d)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
	if n := replay.NewTrace("photos-1", story("photos-1", uidA)).Len(); n != 5 {
		t.Errorf("%d acts, want all but the read", n)
	}
}

// inNamespaces is the events of a run in which claims of two namespaces have one name, and the driver creates their buckets in the given
// order: 0 and 1.
func inNamespaces(scope string, uids [2]string, order ...int) []journal.Event {
	var events []journal.Event
	for i, namespace := range []string{scope, scope + "-second"} {
		events = append(events, journal.Event{
			Component: "controller", Seam: journal.SeamAPI,
			Operation: journal.Operation{Name: "patch bucketclaims", Subject: namespace + "/c"},
			Response:  json.RawMessage(fmt.Sprintf(`{"kind":"BucketClaim","metadata":{"name":"c","namespace":%q,"uid":%q}}`, namespace, uids[i])),
		})
	}
	for _, i := range order {
		outcome := "OK"
		if i == 1 {
			outcome = "InvalidArgument"
		}
		events = append(events, journal.Event{
			Component: "sidecar", Seam: journal.SeamRPC, Outcome: outcome,
			Operation: journal.Operation{Name: "DriverCreateBucket", Subject: "bc-" + uids[i]},
		})
	}
	return events
}

// TestNamespacesAreTold: two claims that differ only in their namespaces have threads of their own, in any order.
func TestNamespacesAreTold(t *testing.T) {
	recorded := replay.NewTrace("photos-1", inNamespaces("photos-1", [2]string{uidA, uidB}, 0, 1))
	replayed := replay.NewTrace("photos-3", inNamespaces("photos-3", [2]string{uidB, uidA}, 1, 0))
	if d := replay.Diff(recorded, replayed); d != nil {
		t.Errorf("the traces diverge: %s", d)
	}
	if steps := strings.Join(recorded.Steps(), "\n"); !strings.Contains(steps, "bc-<BucketClaim <scope>-second/c> -> InvalidArgument") {
		t.Errorf("steps:\n%s", steps)
	}
}
