package component

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/store/administration"
)

// TestForget has a component lose its data between two incarnations, and not while it runs.
func TestForget(t *testing.T) {
	c, s := newStage(t)
	if err := c.Forget(t.Context()); !errors.Is(err, ErrNothingKept) {
		t.Errorf("Forget() = %v, want ErrNothingKept", err)
	}
	c.options.LoseData = func(context.Context) (administration.DataLoss, error) {
		return administration.DataLoss{Buckets: []string{"b"}}, nil
	}
	mustDo(t, c.Start(t.Context()))
	if err := c.Forget(t.Context()); !errors.Is(err, ErrWrongState) {
		t.Errorf("Forget() while it runs = %v, want ErrWrongState", err)
	}
	mustDo(t, c.Crash())
	mustDo(t, c.Forget(t.Context()))
	mustDo(t, c.Start(t.Context()))
	mustDo(t, c.Stop(t.Context()))
	if diff := cmp.Diff([]string{"start", "ready", "crash", "forget", "start", "ready", "stop"}, s.steps()); diff != "" {
		t.Errorf("journal: -want, +got:\n%s", diff)
	}
	for _, e := range s.journal.Since(0) {
		if e.Operation.Name == journal.StepForget && string(e.Response) != `{"buckets":["b"]}` {
			t.Errorf("the journal says that %s was lost", e.Response)
		}
	}
}

// TestForgetByFault has a fault make a component forget at one of its deaths.
func TestForgetByFault(t *testing.T) {
	tests := map[string]struct {
		reason string
		effect fault.Effect
		want   []string
	}{
		"Without": {
			"A crash alone loses nothing that is kept.", fault.Effect{Crash: fault.Before},
			[]string{"start", "ready", "crash", "start", "ready", "stop"},
		},
		"With": {
			"It is lost before the next incarnation.", fault.Effect{Crash: fault.Before, Forget: true, Down: time.Millisecond},
			[]string{"start", "ready", "crash", "forget", "start", "ready", "stop"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c, s := newStage(t)
			c.options.Faults = deadly(t, tc.effect, 1)
			c.options.LoseData = func(context.Context) (administration.DataLoss, error) { return administration.DataLoss{}, nil }
			mustDo(t, c.Start(t.Context()))
			s.die(t)
			await(t, c, stateRunning, 2)
			mustDo(t, c.Stop(t.Context()))
			if diff := cmp.Diff(tc.want, s.steps()); diff != "" {
				t.Errorf("%s journal: -want, +got:\n%s", tc.reason, diff)
			}
			for _, e := range s.journal.Since(0) {
				if e.Operation.Name == journal.StepForget && e.Fault != "f" {
					t.Errorf("%s does not name its fault", e)
				}
			}
		})
	}
}
