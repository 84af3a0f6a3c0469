package chart

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// answer is an answer of the API server for a Bucket, at a second.
func answer(second int, verb, outcome, status, metadata string) journal.Event {
	return journal.Event{
		Time: time.Unix(int64(second), 0), Seam: journal.SeamAPI, Operation: journal.Operation{Name: verb, Subject: "b"}, Outcome: outcome,
		Response: json.RawMessage(fmt.Sprintf(
			`{"kind":"Bucket","metadata":{%s},"status":{"conditions":[{"type":"Provisioned","status":%q,"reason":"R"}]}}`, metadata, status)),
	}
}

func TestHistories(t *testing.T) {
	const ok, gone = journal.OutcomeOK, `"deletionTimestamp":"2026-01-01T00:00:00Z"`
	const going = gone + `,"finalizers":["f"]`
	tests := map[string]struct {
		reason string
		events []journal.Event
		want   string
	}{
		"Changes": {
			reason: "Only changes count.",
			events: []journal.Event{
				answer(1, "get buckets", ok, "Unknown", ""), answer(2, "patch buckets/status", ok, "Unknown", ""),
				answer(3, "update buckets/status", ok, "True", ""),
			},
			want: "Bucket b 1:Unknown 3:True",
		},
		"Order": {
			reason: "The order is that of the answers, not that of the journal.",
			events: []journal.Event{answer(3, "get buckets", ok, "True", ""), answer(1, "get buckets", ok, "False", "")},
			want:   "Bucket b 1:False 3:True",
		},
		"Rejected": {
			reason: "A rejected write changes nothing.",
			events: []journal.Event{answer(1, "get buckets", ok, "True", ""), answer(2, "update buckets", "Conflict", "False", "")},
			want:   "Bucket b 1:True",
		},
		"Deleted": {
			reason: "The last finalizer ends it.",
			events: []journal.Event{
				answer(1, "delete buckets", ok, "True", going), answer(2, "get buckets", ok, "True", gone),
				answer(3, "patch buckets", ok, "True", gone),
			},
			want: "Bucket b 1:True deleting:1 gone:3",
		},
		"OtherKind": {
			reason: "A Status is no Bucket.",
			events: []journal.Event{{
				Seam: journal.SeamAPI, Operation: journal.Operation{Name: "delete buckets", Subject: "b"}, Outcome: ok,
				Response: json.RawMessage(`{"kind":"Status"}`),
			}},
			want: "Bucket b",
		},
		"Broken": {
			reason: "A body of another form is passed over.",
			events: []journal.Event{{
				Seam: journal.SeamAPI, Operation: journal.Operation{Name: "get buckets", Subject: "b"}, Outcome: ok,
				Response: json.RawMessage(`{"metadata":7}`),
			}},
			want: "Bucket b",
		},
		"Others": {
			reason: "Lists, watches and other resources have none.",
			events: []journal.Event{
				answer(1, "list buckets", ok, "True", ""), answer(1, "watch buckets", ok, "True", ""),
				answer(1, "get secrets", ok, "True", ""),
			},
			want: "",
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := ""
			for _, h := range histories(tc.events) {
				got += tell(h)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func tell(h *history) string {
	text := h.Kind + " " + h.Name
	for _, c := range h.Conditions {
		for _, s := range c.States {
			text += fmt.Sprintf(" %d:%s", s.From.Unix(), s.Status)
		}
	}
	if !h.Deleting.IsZero() {
		text += fmt.Sprintf(" deleting:%d", h.Deleting.Unix())
	}
	if !h.Gone.IsZero() {
		text += fmt.Sprintf(" gone:%d", h.Gone.Unix())
	}
	return text
}
