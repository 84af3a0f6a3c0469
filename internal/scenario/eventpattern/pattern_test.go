package eventpattern

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// TestEventPatternAndWatches verifies that the watch events which a component receives do not count
// as its operations.
func TestEventPatternAndWatches(t *testing.T) {
	told := journal.Event{
		Seam: journal.SeamAPI, Component: "sidecar.east", Operation: journal.Operation{Name: "event secrets", Subject: "ns/west"},
	}
	read := told
	read.Operation.Name = "get secrets"
	for name, c := range map[string]struct {
		pattern Pattern
		event   journal.Event
		want    bool
	}{
		"a request, of any operation":   {Pattern{subject: "ns/west"}, read, true},
		"a request, of a resource":      {Pattern{operation: "* secrets"}, read, true},
		"an event, of any operation":    {Pattern{subject: "ns/west"}, told, false},
		"an event, of a resource":       {Pattern{operation: "* secrets"}, told, false},
		"an event that is asked for":    {Pattern{operation: "event secrets"}, told, true},
		"any event that is asked for":   {Pattern{operation: "event *"}, told, true},
		"an event of something else":    {Pattern{operation: "event buckets"}, told, false},
		"a request instead of an event": {Pattern{operation: "event secrets"}, read, false},
	} {
		t.Run(name, func(t *testing.T) {
			c.pattern.seam = journal.SeamAPI
			if got, err := c.pattern.Matches(c.event); err != nil || got != c.want {
				t.Errorf("%v, %v, want %v", got, err, c.want)
			}
		})
	}
}

// TestRequestOf: a pattern for Events matches those of both groups.
func TestRequestOf(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ operation, request, want string }{
		"core": {
			"create events", `{"involvedObject":{"name":"a"},"message":"m"}`,
			`{"involvedObject":{"name":"a"},"message":"m","note":"m","regarding":{"name":"a"}}`,
		},
		"events.k8s.io": {"create events", `{"regarding":{"name":"a"},"note":"m"}`, `{"regarding":{"name":"a"},"note":"m"}`},
		"another kind":  {"create secrets", `{"involvedObject":1}`, `{"involvedObject":1}`},
		"no JSON":       {"create events", `"involvedObject"`, `"involvedObject"`},
	} {
		event := journal.Event{Operation: journal.Operation{Name: tc.operation}, Request: json.RawMessage(tc.request)}
		if got := string(requestOf(event)); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

// TestCompareOrder verifies which events may follow each other. A component that retries repeats an
// operation after the next one, and whether it has done so by the time of a step depends on the machine.
func TestCompareOrder(t *testing.T) {
	const (
		grant, create = "DriverGrantBucketAccess", "DriverCreateBucket"
		order         = "[{operation: " + grant + "}, {operation: " + create + "}]"
		wrong         = `expected event "rpc DriverGrantBucketAccess" before "rpc DriverCreateBucket", got it after`
	)
	for name, tc := range map[string]struct {
		asked  string
		events []string
		want   string
	}{
		"in order":                {order, []string{grant, create}, ""},
		"the other order":         {order, []string{create, grant}, wrong},
		"repeated after the next": {order, []string{grant, create, grant}, ""},
		"repeated with a count":   {strings.Replace(order, "}", ", count: 2}", 1), []string{grant, create, grant}, wrong},
		"missing":                 {order, []string{grant, grant}, `expected at least 1 event "rpc DriverCreateBucket", got 0`},
	} {
		t.Run(name, func(t *testing.T) {
			all, err := spec.Loader{}.Parse("s.yaml", []byte(
				"apiVersion: cosi-emu/v1alpha1\nkind: Scenario\nname: s\nsteps:\n- calls: {events: "+tc.asked+"}\n"))
			if err != nil {
				t.Fatal(err)
			}
			asked := all[0].Steps[0].Calls
			var patterns []Pattern
			for _, p := range asked.Events {
				patterns = append(patterns, Pattern{EventPattern: p, seam: journal.SeamRPC, operation: p.Operation.String()})
			}
			var events []journal.Event
			for i, operation := range tc.events {
				events = append(events, journal.Event{
					Seam: journal.SeamRPC, Operation: journal.Operation{Name: operation}, Time: time.Unix(int64(i), 0),
				})
			}
			found, err := Compare(asked, patterns, events)
			if err != nil || found.Problem != tc.want {
				t.Errorf("Compare() = %q, %v, want %q", found.Problem, err, tc.want)
			}
		})
	}
}

// TestNearest verifies that a missing event is reported with the most similar one.
func TestNearest(t *testing.T) {
	call := func(seq uint64, subject, outcome, request string) journal.Event {
		return journal.Event{
			Seq: seq, Seam: journal.SeamRPC, Component: "sidecar", Outcome: outcome, Request: json.RawMessage(request),
			Operation: journal.Operation{Name: "DriverGrantBucketAccess", Subject: subject},
		}
	}
	other := call(1, "ba-1", "OK", `{"accountId":"ba-1","mode":"ReadOnly"}`)
	other.Operation.Name = "DriverRevokeBucketAccess"
	events := []journal.Event{
		other, call(2, "ba-2", "Unavailable", `{"accountId":"ba-2","mode":"ReadWrite"}`),
		call(3, "ba-1", "OK", `{"accountId":"ba-1","mode":"ReadWrite"}`),
	}
	request := spec.Pattern{IsMapping: true, Fields: []spec.PatternField{
		{Name: "accountId", Pattern: spec.Pattern{Scalar: "ba-1"}}, {Name: "mode", Pattern: spec.Pattern{Scalar: "ReadOnly"}},
	}}
	p := Pattern{seam: journal.SeamRPC, component: "sidecar*", operation: "DriverGrant*", subject: "ba-1"}
	p.Request = &request
	found, err := p.miscounted(0, events)
	if err != nil {
		t.Fatal(err)
	}
	got := found.Failure(" after 10s")
	const message = `expected at least 1 event "rpc sidecar* DriverGrant* ba-1", got 0 after 10s; ` +
		"the nearest is sidecar DriverGrantBucketAccess ba-1 -> OK"
	if got.Message != message || !slices.Equal(got.Events, []uint64{3}) {
		t.Errorf("got %q with events %v, want %q with event 3", got.Message, got.Events, message)
	}
	if len(got.Differences) != 1 || got.Differences[0].String() != "request.mode: want ReadOnly, got ReadWrite" {
		t.Errorf("got differences %v, want that of the mode", got.Differences)
	}
	p.operation = "DriverCreateBucket"
	if found, err := p.miscounted(0, events); err != nil || found.nearest != nil {
		t.Errorf("%+v, %v, want no nearest event", found, err)
	}
}
