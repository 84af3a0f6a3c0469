package journal_test

import (
	"encoding/json"
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// TestUserRequests expects the latest requests of users, without known secrets, and not among
// the events.
func TestUserRequests(t *testing.T) {
	j := journal.New(journal.Options{MaxBytes: 8 << 10})
	j.AddAccountSecret("a", "a-secret-that-is-long")
	for range 20 {
		j.Append(j.Begin("controller", 1, journal.SeamAPI, journal.Operation{Name: "get buckets"}))
		j.AddUserRequest(journal.Event{Component: "administrator", Request: json.RawMessage(`{"a":"a-secret-that-is-long"}`)})
	}
	got := j.UserRequests(0)
	if len(got) == 0 || len(got) == 20 || got[len(got)-1].Seq != 20 {
		t.Fatalf("%d requests, want the latest of 20, as many as fit", len(got))
	}
	if string(got[0].Request) == `{"a":"a-secret-that-is-long"}` {
		t.Errorf("a request has a secret: %s", got[0].Request)
	}
	if after := j.UserRequests(20); len(after) != 1 {
		t.Errorf("%d requests after the last event, want 1", len(after))
	}
	for _, e := range j.Since(0) {
		if e.Component == "administrator" {
			t.Errorf("the request is an event: %v", e)
		}
	}
}
