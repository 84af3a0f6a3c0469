package journal_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// TestSecrets: an event has no secret value, whether it became known before or after.
func TestSecrets(t *testing.T) {
	const early, late = "known-before-the-event", "known-after-the-event"
	j := journal.New(journal.Options{})
	var teed []string
	defer j.Tee(0, func(e journal.Event) { teed = append(teed, e.Message) })()
	j.AddAccountSecret("a", early)
	e := j.Begin("sidecar", 1, journal.SeamRPC, journal.Operation{Name: "DriverGrantBucketAccess", Subject: early})
	e.Outcome, e.Message, e.Request = "Unavailable", "keys "+early+" and "+late, json.RawMessage(`{"key":"`+late+`"}`)
	copied := j.Append(e)
	j.AddSecret("ns", "key", late)
	for name, got := range map[string]journal.Event{"kept": j.Since(0)[0], "copied": j.RedactEvent(copied, 1)} {
		text, err := json.Marshal(got)
		if err != nil || strings.Contains(string(text), early) || strings.Contains(string(text), late) {
			t.Errorf("%s: %s, %v", name, text, err)
		}
		if diff := cmp.Diff([]string{"account a", "Secret ns/key"}, got.Leaks); diff != "" {
			t.Errorf("%s: leaks -want, +got:\n%s", name, diff)
		}
	}
	if len(j.Pending()) != 0 {
		t.Errorf("pending: %v", j.Pending())
	}
	if len(teed) != 1 || strings.Contains(teed[0], early) {
		t.Errorf("teed: %q", teed)
	}
	if text, leaks := j.Redact("nothing"); text != "nothing" || leaks != nil {
		t.Errorf("Redact() = %q, %v", text, leaks)
	}
}
