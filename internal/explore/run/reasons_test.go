package run

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

func TestReasons(t *testing.T) {
	t.Parallel()
	event := func(component, operation, outcome, response string) journal.Event {
		return journal.Event{
			Component: component, Seam: journal.SeamAPI, Operation: journal.Operation{Name: operation},
			Outcome: outcome, Response: json.RawMessage(response),
		}
	}
	const status = `{"status": {"conditions": [{"reason": "Pending"}, {"reason": "DriverError"}]}}`
	got := Reasons([]journal.Event{
		event(vocabulary.Sidecar, "patch buckets/status", journal.OutcomeOK, status),
		event(vocabulary.Sidecar, "create events", journal.OutcomeOK, `{"reason": "FailedCreateBucket"}`),
		event(vocabulary.Sidecar, "patch buckets/status", "Conflict", `{"status": {"conditions": [{"reason": "Rejected"}]}}`),
		event(vocabulary.Sidecar, "get buckets", journal.OutcomeOK, `{"status": {"conditions": [{"reason": "Read"}]}}`),
		event(vocabulary.Administrator, "patch buckets/status", journal.OutcomeOK, `{"status": {"conditions": [{"reason": "Foreign"}]}}`),
		event(vocabulary.Controller, "patch bucketclaims", journal.OutcomeOK, `{"reason": "NoEvent"}`),
		event(vocabulary.Controller, "delete bucketclaims", journal.OutcomeOK, ``),
	})
	if diff := cmp.Diff([]string{"DriverError", "FailedCreateBucket", "Pending"}, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
