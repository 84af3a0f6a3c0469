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
	"github.com/cosi-emu/cosi-emu/internal/scenarios/spec"
)

// errAtRest is why a step of a hasty run has failed before its time was over.
var errAtRest = errors.New("it is not so, and nobody does anything any more")

// A hasty run is one of which only the outcome counts, and which may be repeated: it
// is over when nobody has come any further for a time, though its steps would wait for
// longer. What fails again and again in the same way does not count. How long that
// time is depends on how long a run without a fault takes on this machine just now, and
// on what has to be found out again: a component that starts anew, and a watch that was
// cut, take longer than a retry.
const (
	maxHaste  = 2 * time.Second
	rejoining = 1500 * time.Millisecond
)

// haste is the silence after which a run with faults is over, if one without takes as
// long as usual.
func haste(faults []fault.Fault, usual time.Duration) time.Duration {
	silence := min(max(surely, usual), maxHaste)
	for _, f := range faults {
		if f.Effect.Crash != "" || watches(f.Match.Operation) {
			silence = max(silence, rejoining)
		}
	}
	return silence
}

// watches reports whether caches live by an operation.
func watches(operation string) bool {
	return strings.HasPrefix(operation, "watch ") || strings.HasPrefix(operation, "list ") || strings.HasPrefix(operation, fault.EventPrefix)
}

// runHastily runs a scenario as run does, but in haste.
func (w *world) runHastily(
	ctx context.Context, s *spec.Scenario, faults []fault.Fault, clean *observation, usual time.Duration,
) *observation {
	current := newRunning(ctx, w, s, faults, clean)
	current.silence = haste(faults, usual)
	return w.perform(ctx, current)
}

func newRunning(ctx context.Context, w *world, s *spec.Scenario, faults []fault.Fault, clean *observation) *running {
	return &running{
		world: w, context: ctx, scenario: s, faults: faults, clean: clean,
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

// hurry returns the context for the steps of the run, which ends early if it is hasty
// and they wait in vain.
func (r *running) hurry(ctx context.Context) (within context.Context, stop func()) {
	if r.silence == 0 {
		return ctx, func() {}
	}
	within, cancel := context.WithCancelCause(ctx)
	var vigil sync.WaitGroup
	vigil.Go(func() {
		select {
		case <-within.Done():
		case <-r.began:
			r.keepVigil(within, cancel)
		}
	})
	return within, func() {
		cancel(nil)
		vigil.Wait()
	}
}

func (r *running) keepVigil(ctx context.Context, giveUp context.CancelCauseFunc) {
	for ctx.Err() == nil {
		if r.waitsInVain() {
			giveUp(errAtRest)
			return
		}
		pause(ctx, briefly)
	}
}

// waitsInVain reports whether all that goes on is steps that wait for others, and
// nobody has come any further for long enough, while every component is alive.
func (r *running) waitsInVain() bool {
	journal := r.world.emu.Journal()
	underWay := journal.Pending() // before what has ended
	if !r.world.running() || time.Since(progressed(journal.Since(r.from), underWay)) < r.silence {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	waiting := 0
	for step, since := range r.steps {
		switch {
		case len(step.Nested()) > 0 || step.Verb == "use":
		case step.Verb != "expect" && step.Verb != "calls" || time.Since(since) < r.silence:
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
		if !moves(e) {
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
		if moves(e) && !hopeless[e.Component+" "+string(e.Seam)+" "+e.Operation.String()] {
			return time.Now()
		}
	}
	return last
}

// moves reports whether an event is of a kind that can bring COSI any further; what is
// only told to people is not.
func moves(e journal.Event) bool {
	return oracle.Loud(e) && !strings.HasSuffix(e.Operation.Name, " events")
}
