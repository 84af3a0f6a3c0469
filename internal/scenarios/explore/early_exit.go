package explore

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/emulator/oracle"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/idle"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/spec"
)

// errIdle is the error of a step that ended before its timeout, because all components are idle.
var errIdle = errors.New("condition not met, and all components are idle")

// A hasty run is one of which only the outcome counts, and which may be repeated: it
// is over when nobody has come any further for a time, though its steps would wait for
// longer. What fails again and again in the same way does not count. How long that
// time is depends on how long a run without a fault takes on this machine just now, and
// on what has to be found out again: a component that starts anew, and a watch that was
// cut, take longer than a retry.
const (
	maxEarlyExit = 2 * time.Second
	rejoinTime   = 1500 * time.Millisecond
)

// earlyExitAfter is the silence after which a run with faults is over, if one without takes as
// long as usual.
func earlyExitAfter(faults []fault.Fault, usual time.Duration) time.Duration {
	silence := min(max(quietForSure, usual), maxEarlyExit)
	for _, f := range faults {
		if f.Effect.Crash != "" || feedsCache(f.Match.Operation) {
			silence = max(silence, rejoinTime)
		}
	}
	return silence
}

// feedsCache reports whether caches live by an operation.
func feedsCache(operation string) bool {
	return strings.HasPrefix(operation, "watch ") || strings.HasPrefix(operation, "list ") || strings.HasPrefix(operation, journal.EventPrefix)
}

// runWithEarlyExit runs a scenario as run does, but in haste.
func (w *sandbox) runWithEarlyExit(
	ctx context.Context, s *spec.Scenario, faults []fault.Fault, clean *runResult, usual time.Duration,
) *runResult {
	current := newRunning(ctx, w, s, faults, clean)
	current.earlyExit = earlyExitAfter(faults, usual)
	return w.perform(ctx, current)
}

func newRunning(ctx context.Context, w *sandbox, s *spec.Scenario, faults []fault.Fault, clean *runResult) *running {
	return &running{
		sandbox: w, context: ctx, scenario: s, faults: faults, clean: clean,
		steps: map[*spec.Step]time.Time{}, began: make(chan struct{}),
	}
}

// note remembers which steps go on.
func (r *running) note(step *spec.Step, begins bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if begins {
		r.steps[step] = time.Now()
	} else {
		delete(r.steps, step)
	}
}

// exitEarly returns the context for the steps of the run, which ends early if it is hasty
// and they wait in vain.
func (r *running) exitEarly(ctx context.Context) (within context.Context, stop func()) {
	if r.earlyExit == 0 {
		return ctx, func() {}
	}
	within, cancel := context.WithCancelCause(ctx)
	var vigil sync.WaitGroup
	vigil.Go(func() {
		select {
		case <-within.Done():
		case <-r.began:
			r.watchForStall(within, cancel)
		}
	})
	return within, func() {
		cancel(nil)
		vigil.Wait()
	}
}

func (r *running) watchForStall(ctx context.Context, giveUp context.CancelCauseFunc) {
	for ctx.Err() == nil {
		if r.stalled() {
			giveUp(errIdle)
			return
		}
		idle.Pause(ctx, quietAtOnce)
	}
}

// stalled reports whether all that goes on is steps that wait for others, and
// nobody has come any further for long enough, while every component is alive.
func (r *running) stalled() bool {
	journal := r.sandbox.emu.Journal()
	underWay := journal.Pending() // before what has ended
	if !r.sandbox.isRunning() || time.Since(progressed(journal.Since(r.from), underWay)) < r.earlyExit {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	waiting := 0
	for step, since := range r.steps {
		switch {
		case len(step.Nested()) > 0 || step.Verb == "use":
		case step.Verb != "expect" && step.Verb != "calls" || time.Since(since) < r.earlyExit:
			return false
		default:
			waiting++
		}
	}
	return waiting > 0
}

// futile is how often something has to have failed in the same way until another
// attempt is no progress.
const futile = 3

// progressed returns when somebody has last done something other than what has failed
// in the same way often enough; now, if such a thing is under way.
func progressed(events, underWay []journal.Event) time.Time {
	failures := map[string]int{} // by operation and outcome
	hopeless := map[string]bool{}
	var last time.Time
	for _, e := range events {
		if !isProgress(e) {
			continue
		}
		operation := e.Component + " " + string(e.Seam) + " " + e.Operation.String()
		attempt := operation + " " + e.Outcome
		if e.Failed() && e.Fault == "" {
			failures[attempt]++
		}
		hopeless[operation] = failures[attempt] >= futile
		if ended := e.Time.Add(e.Duration); failures[attempt] < futile && ended.After(last) {
			last = ended
		}
	}
	for _, e := range underWay {
		if isProgress(e) && !hopeless[e.Component+" "+string(e.Seam)+" "+e.Operation.String()] {
			return time.Now()
		}
	}
	return last
}

// isProgress reports whether an event is of a kind that can bring COSI any further; what is
// only told to people is not.
func isProgress(e journal.Event) bool {
	return oracle.IsActivity(e) && !strings.HasSuffix(e.Operation.Name, " events")
}
