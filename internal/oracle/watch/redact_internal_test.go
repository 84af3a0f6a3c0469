package watch

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/proto/redact"
)

// TestRedactEvents: an event loses the values that were added after it was collected, at each look.
func TestRedactEvents(t *testing.T) {
	const first, second = "known-before-the-look", "known-between-two-looks"
	j := journal.New(journal.Options{})
	w := &Watcher{journal: j}
	record := func() {
		e := j.Begin("sidecar", 1, journal.SeamRPC, journal.Operation{Name: "DriverGrantBucketAccess"})
		e.Message = first + " " + second
		j.Append(e)
		w.collect()
	}
	look := func() (messages []string) {
		w.redactEvents()
		for _, e := range w.events {
			messages = append(messages, e.Message)
		}
		return messages
	}

	record()
	j.AddAccountSecret("a", first)
	record()
	if diff := cmp.Diff([]string{redact.Placeholder + " " + second, redact.Placeholder + " " + second}, look()); diff != "" {
		t.Errorf("the first look (-want +got):\n%s", diff)
	}
	j.AddAccountSecret("a", second)
	record()
	const both = redact.Placeholder + " " + redact.Placeholder
	if diff := cmp.Diff([]string{both, both, both}, look()); diff != "" {
		t.Errorf("the second look (-want +got):\n%s", diff)
	}
}
