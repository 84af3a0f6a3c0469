package explore

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/emulator/oracle"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/engine"
)

// TestResetAwaitsReplies: a sidecar releases the last Bucket of a run, and hears late that it is
// gone. That must not become an event of the next run, which has no deletion of the bucket.
func TestResetAwaitsReplies(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a control plane")
	}
	w := interferenceSandbox(t)
	event := w.emu.Journal().Begin(emulator.ComponentSidecar, 1, journal.SeamAPI, journal.Operation{Name: "patch buckets", Subject: "bc-1"})
	vanished := &runResult{result: engine.Result{Outcome: engine.Passed}, end: oracle.Observation{Name: "after the last step"}}
	within, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := w.reset(within, vanished); !errors.Is(err, errNotClean) {
		t.Errorf("while a reply is awaited: %v, want %v", err, errNotClean)
	}
	w.emu.Journal().Append(event)
	if left, err := w.reset(t.Context(), vanished); left || err != nil {
		t.Errorf("after the reply: left %t, %v; want a clean sandbox", left, err)
	}
}
