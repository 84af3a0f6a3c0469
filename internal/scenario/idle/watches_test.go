package idle

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/eventscope"
)

// watching is an emulator with one component in a state.
type watching struct {
	recorded

	name  string
	state description.State
}

func (w watching) Components() []watching          { return []watching{w} }
func (w watching) Name() string                    { return w.name }
func (w watching) State() (description.State, int) { return w.state, 1 }
func (watching) Restarting() bool                  { return false }

// TestWatches verifies that a component is not idle while it does not watch what it has watched.
func TestWatches(t *testing.T) {
	t.Parallel()
	const (
		quiet = 200 * time.Millisecond
		never = time.Duration(0)
		runs  = description.StateRunning
		soon  = 50 * time.Millisecond
	)
	for name, tc := range map[string]struct {
		reason      string
		component   string
		state       description.State
		ends, again time.Duration // of the watch; again: when the next one begins
		failed      bool          // attempts in between
		want        time.Duration
	}{
		"Open":    {"The component knows all.", "controller", runs, never, never, false, quiet},
		"Cut":     {"It watches again after a back-off.", "controller", runs, soon, time.Second, false, time.Second + quiet},
		"Refused": {"Attempts that fail change nothing.", "controller", runs, soon, time.Second, true, time.Second + quiet},
		"GivenUp": {"It needs the watch no longer.", "controller", runs, soon, never, false, rewatchTimeout + quiet},
		"Stopped": {"A component that does not run watches nothing.", "controller", description.StateStopped, soon, never, false, quiet},
		"Other":   {"A component of another scenario.", "sidecar.other", runs, soon, never, false, quiet},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				log := journal.New(journal.Options{})
				open := func() (end func()) {
					e := log.Begin(tc.component, 1, journal.SeamAPI, journal.Operation{Name: "watch buckets"})
					e.Outcome = journal.OutcomeOK
					end = log.OpenWatch(e)
					log.Append(e)
					return end
				}
				end := open()
				if tc.failed {
					time.AfterFunc(2*quiet, func() {
						e := log.Begin(tc.component, 1, journal.SeamAPI, journal.Operation{Name: "watch buckets"})
						e.Outcome = "ConnectionError"
						log.Append(e)
					})
				}
				if tc.ends > 0 {
					time.AfterFunc(tc.ends, end)
				}
				if tc.again > 0 {
					time.AfterFunc(tc.again, func() { open() })
				}
				detector := New(watching{recorded{log}, tc.component, tc.state})
				began := time.Now()
				if !detector.WaitQuiet(t.Context(), func() eventscope.Scope { return eventscope.Scope{} }, quiet) {
					t.Fatalf("%s never idle", tc.reason)
				}
				if took, want := time.Since(began), tc.want; took < want || took > want+2*quiet {
					t.Errorf("%s idle after %s, want %s", tc.reason, took, want)
				}
			})
		})
	}
}
