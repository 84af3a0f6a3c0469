package idle

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/eventscope"
)

type recorded struct{ journal *journal.Journal }

func (r recorded) Journal() *journal.Journal { return r.journal }
func (recorded) Components() []Component     { return nil }

// TestWaitSettled verifies how long everything must be idle, by the speed of the machine.
func TestWaitSettled(t *testing.T) {
	const quiet = 200 * time.Millisecond
	errProbe := errors.New("no answer")
	for name, tc := range map[string]struct {
		reason    string
		roundTrip time.Duration
		probe     error
		// act is when a component acts, after the start; 0 means never.
		act  time.Duration
		want time.Duration
	}{
		"Quick": {reason: "The least time is enough.", roundTrip: time.Millisecond, want: quiet + time.Millisecond},
		"Slow":  {reason: "40 round trips of 10 ms.", roundTrip: 10 * time.Millisecond, want: 400 * time.Millisecond},
		"LateEvent": {
			reason: "The silence begins anew.", roundTrip: 10 * time.Millisecond, act: 300 * time.Millisecond, want: 700 * time.Millisecond,
		},
		"Starved":  {reason: "There is a limit.", roundTrip: time.Minute, want: quiet + time.Minute},
		"NoAnswer": {reason: "The machine is unknown.", roundTrip: time.Millisecond, probe: errProbe, want: quiet + time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := journal.New(journal.Options{})
				if tc.act > 0 {
					time.AfterFunc(tc.act, func() {
						log.Append(log.Begin("sidecar", 1, journal.SeamRPC, journal.Operation{Name: "DriverCreateBucket"}))
					})
				}
				began := time.Now()
				settled := New(recorded{log}).WaitSettled(t.Context(), func() eventscope.Scope { return eventscope.Scope{Alone: true} }, quiet,
					func(context.Context) error {
						time.Sleep(tc.roundTrip) //nolint:forbidigo // of a fake clock
						return tc.probe
					})
				if took := time.Since(began); !settled || took != tc.want {
					t.Errorf("%s settled %t after %s, want %s", tc.reason, settled, took, tc.want)
				}
			})
		})
	}
}
