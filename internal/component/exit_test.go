package component

import (
	"context"
	"errors"
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// TestMustWork: a restart mends no command line, so that a program which ends before it has done anything
// is a failure; later it is restarted, as in a Pod.
func TestMustWork(t *testing.T) {
	for name, works := range map[string]bool{"BeforeWork": false, "AfterWork": true} {
		t.Run(name, func(t *testing.T) {
			c, s := newStage(t)
			c.options.Supervised, c.options.MustWork = true, true
			mustDo(t, c.Start(t.Context()))
			if works {
				first := s.incarnations[0].incarnation
				code := func(error) string { return "OK" }
				work := func(context.Context) error { return nil }
				mustDo(t, first.Cross(t.Context(), journal.SeamStore, journal.Operation{Name: "ListBuckets"}, code, work))
			}
			s.incarnations[0].end <- errStillUp
			if works {
				await(t, c, stateRunning, 2)
				mustDo(t, c.Stop(t.Context()))
				return
			}
			if err := <-s.failed; !errors.Is(err, errStillUp) {
				t.Errorf("the failure is %v, want %v", err, errStillUp)
			}
		})
	}
}
