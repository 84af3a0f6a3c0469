package sandbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/oracle"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/idle"
)

// Required idle times before an observation: first a short one, to see whether the sandbox has
// reached its end state, and then one longer than the delay between retries.
const (
	quietAtOnce  = 20 * time.Millisecond
	quietForSure = 3 * retryMaxDelay
	// recoveryTimeout is the timeout for reaching the end state. A closed watch restarts
	// after a second or two.
	recoveryTimeout = 5 * time.Second
	// earlyExitFactor limits recovery in a run with early exit, as a multiple of its idle time.
	earlyExitFactor = 4
	// quietIfStarved is longer than a component waits for a processor on a machine with too few of
	// them.
	quietIfStarved      = 3 * time.Second
	quietWithoutObjects = time.Second
)

// finish removes the faults, starts the stopped components, waits for recovery, and observes the sandbox. After
// a failed step it waits until the components are idle, and not for the end state of the clean run.
func (r *running) finish(failed bool) {
	r.seen.Ended = time.Now()
	r.seen.Steps = r.seen.Ended.Sub(r.started)
	r.awaitTravel()
	r.seen.Faults = slices.DeleteFunc(r.sandbox.Emulator.Faults().List(), func(f fault.Status) bool {
		return !slices.ContainsFunc(r.faults, func(own fault.Fault) bool { return own.Name == f.Name })
	}) // without the scenario's own faults and the probe
	r.sandbox.Emulator.Faults().Clear()
	r.fail(r.sandbox.startStopped(r.context))
	if r.interferes() {
		r.fail(r.tearDown())
		return
	}
	if !failed {
		r.fail(r.recover())
		return
	}
	r.fail(r.settle(func() bool { return true }, quietAtOnce, quietForSure, quietIfStarved))
}

// awaitTravel waits until a component that begins again with an earlier state has acted on it, and has caught up: without
// the fault it would see the present.
func (r *running) awaitTravel() {
	if !slices.ContainsFunc(r.faults, func(f fault.Fault) bool { return f.AsOf != "" }) {
		return
	}
	ctx, cancel := context.WithTimeout(r.context, settleTimeout)
	defer cancel()
	r.sandbox.waitQuiet(ctx, r.idle, quietForSure)
}

// startStopped starts the components that the scenario has stopped: every judgement is about a sandbox in
// which all of them work. One that is restarting starts by itself.
func (sb *Sandbox) startStopped(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, endTimeout)
	defer cancel()
	ended := func(c *emulator.Component) bool { return !c.Restarting() }
	if err := engine.StartStopped(ctx, sb.Emulator, ended); err != nil {
		return fmt.Errorf("start the stopped components: %w", err)
	}
	return nil
}

// recover waits until the end state of the clean run is reached, or is certainly out of reach.
func (r *running) recover() error {
	limit := recoveryTimeout
	if r.earlyExit > 0 {
		limit = min(limit, earlyExitFactor*r.earlyExit)
	}
	if hasOutage(r.faults) {
		limit = outageTimeout
	}
	ctx, cancel := context.WithTimeout(r.context, limit)
	defer cancel()
	for window := quietAtOnce; ; {
		quiet := r.sandbox.waitQuiet(ctx, r.idle, window)
		if err := r.readEnd(quiet); err != nil || r.endsAsClean() || !quiet || ctx.Err() != nil {
			return err
		}
		enough := r.quietTime()
		switch {
		case window >= enough:
			return nil
		case window == quietAtOnce:
			window = min(enough, quietForSure)
		case enough < recoveryTimeout:
			window = enough
		default:
			idle.Pause(ctx, quietForSure)
		}
	}
}

// quietTime returns the idle time after which the state is final.
func (r *running) quietTime() time.Duration {
	deserted := len(r.seen.End.Objects.Claims)+len(r.seen.End.Objects.Buckets)+len(r.seen.End.Objects.Accesses) == 0
	switch {
	case r.clean == nil && r.earlyExit > 0:
		return retryMaxDelay
	case r.clean == nil, r.earlyExit > 0 && deserted:
		return quietForSure
	case r.earlyExit > 0:
		return max(r.earlyExit, quietForSure)
	case deserted:
		return quietWithoutObjects
	default:
		return recoveryTimeout
	}
}

// endsAsClean reports whether the end state equals the clean run's, and nothing happened during the
// observation.
func (r *running) endsAsClean() bool {
	end := r.seen.End
	return r.clean != nil && end.After == end.Until && r.seen.State.Equals(r.clean.State)
}

// waitQuiet waits until the sandbox is idle for a time. It returns false if the context ends first.
func (sb *Sandbox) waitQuiet(ctx context.Context, detector *idle.Detector, window time.Duration) bool {
	return detector == nil || detector.WaitQuiet(ctx, sb.scope, window) // without a detector, the run has not started
}

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
		if f.Effect.Crash != "" || f.Lag || feedsCache(f.Match.Operation) {
			silence = max(silence, rejoinTime)
		}
	}
	return silence
}

// feedsCache reports whether an operation fills caches.
func feedsCache(operation string) bool {
	return strings.HasPrefix(operation, "watch ") || strings.HasPrefix(operation, "list ") || strings.HasPrefix(operation, journal.EventPrefix)
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
// long enough, and none recovers.
func (r *running) stalled() bool {
	journal := r.sandbox.Emulator.Journal()
	underWay := journal.Pending() // read the pending operations before the ended ones
	if r.idle.Recovering(r.sandbox.scope()) ||
		time.Since(progressed(journal.Since(r.from), underWay)) < r.earlyExit {
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
		if !run.IsProgress(e) {
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
		if run.IsProgress(e) && !exhausted[e.Component+" "+string(e.Seam)+" "+e.Operation.String()] {
			return time.Now()
		}
	}
	return last
}

// settleTimeout limits each wait for silence. A component that retries never is silent.
const settleTimeout = 10 * time.Second

// settle observes the sandbox when the components have been idle for the first window. If it is not
// done, or the standing oracles find something, settle observes again after the next window: on a
// busy machine a component may still work.
func (r *running) settle(done func() bool, windows ...time.Duration) error {
	for _, window := range windows {
		ctx, cancel := context.WithTimeout(r.context, settleTimeout)
		err := r.readEnd(r.sandbox.waitQuiet(ctx, r.idle, window))
		cancel()
		if err != nil || done() && len(oracle.Judge(r.inputOf(r.seen.End))) == 0 {
			return err
		}
	}
	return nil
}
