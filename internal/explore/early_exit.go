package explore

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/scenario/idle"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// errIdle is the error of a step that ended before its timeout, because all components are idle.
var errIdle = errors.New("condition not met, and all components are idle")

// A run with early exit ends once no component has made progress for some time, although
// its steps would wait longer. An operation that keeps failing in the same way is no
// progress. The time depends on the current duration of a clean run, and on the faults: a
// restarted component and a closed watch take longer to recover than a retry.
const (
	maxEarlyExit = 2 * time.Second
	rejoinTime   = 1500 * time.Millisecond
)

// earlyExitAfter returns the time without progress after which a run with faults ends. The
// argument usual is the duration of a clean run.
func earlyExitAfter(faults []fault.Fault, usual time.Duration) time.Duration {
	silence := min(max(quietForSure, usual), maxEarlyExit)
	for _, f := range faults {
		if f.Effect.Crash != "" || feedsCache(f.Match.Operation) {
			silence = max(silence, rejoinTime)
		}
	}
	return silence
}

// feedsCache reports whether an operation fills caches.
func feedsCache(operation string) bool {
	return strings.HasPrefix(operation, "watch ") || strings.HasPrefix(operation, "list ") || strings.HasPrefix(operation, journal.EventPrefix)
}

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

// note tracks the active steps.
func (r *running) note(step *spec.Step, begins bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if begins {
		r.steps[step] = time.Now()
	} else {
		delete(r.steps, step)
	}
}

// exitEarly returns the context for the steps of the run. If the run may exit early, the
// context ends when the run stalls.
func (r *running) exitEarly(ctx context.Context) (within context.Context, stop func()) {
	if r.earlyExit == 0 {
		return ctx, func() {}
	}
	within, cancel := context.WithCancelCause(ctx)
	var detector sync.WaitGroup
	detector.Go(func() {
		select {
		case <-within.Done():
		case <-r.began:
			r.watchForStall(within, cancel)
		}
	})
	return within, func() {
		cancel(nil)
		detector.Wait()
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

// stalled reports whether all active steps only wait, no component has made progress for
// long enough, and every component is running.
func (r *running) stalled() bool {
	journal := r.sandbox.emu.Journal()
	underWay := journal.Pending() // read the pending operations before the ended ones
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

// failureLimit is the number of equal failures of an operation after which another attempt is
// no progress.
const failureLimit = 3

// progressed returns the time of the last progress. It ignores operations that have failed
// in the same way too often. A pending operation is progress now.
func progressed(events, underWay []journal.Event) time.Time {
	failures := map[string]int{}
	exhausted := map[string]bool{}
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
		exhausted[operation] = failures[attempt] >= failureLimit
		if ended := e.Time.Add(e.Duration); failures[attempt] < failureLimit && ended.After(last) {
			last = ended
		}
	}
	for _, e := range underWay {
		if isProgress(e) && !exhausted[e.Component+" "+string(e.Seam)+" "+e.Operation.String()] {
			return time.Now()
		}
	}
	return last
}

// isProgress reports whether an event can be progress. Writes of Kubernetes Events
// cannot.
func isProgress(e journal.Event) bool {
	return checks.BreaksSilence(e) && !strings.HasSuffix(e.Operation.Name, " events")
}
