package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/oracle/watch"
	"github.com/cosi-emu/cosi-emu/internal/scenario/idle"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

type running struct {
	sandbox   *sandbox
	context   context.Context //nolint:containedctx // the engine's observer has none
	scenario  *spec.Scenario
	faults    []fault.Fault
	clean     *runResult    // nil: this is the clean run
	earlyExit time.Duration // 0: no early exit
	probed    bool          // the journal has watch events

	external []string // changes of the backend by steps

	from    uint64 // the last event before the first step
	watcher *watch.Watcher
	idle    *idle.Detector
	started time.Time
	seen    runResult

	mu    sync.Mutex
	steps map[*spec.Step]time.Time // start times of the active steps
	began chan struct{}            // closed by start
}

// indexOf returns the index of a step in the scenario, or -1 if another step contains it.
func (r *running) indexOf(step *spec.Step) int {
	for i := range r.scenario.Steps {
		if step == &r.scenario.Steps[i] {
			return i
		}
	}
	return -1
}

// start injects the faults just before the first step.
func (r *running) start() {
	r.from, r.started = r.sandbox.emu.Journal().Mark(), time.Now()
	var err error
	r.idle = idle.New(r.sandbox.emu)
	r.watcher, err = watch.Start(r.context, r.sandbox.emu)
	r.fail(err)
	for _, f := range r.faults {
		r.fail(r.sandbox.emu.Faults().AddFallback(f))
	}
	if r.probed {
		r.fail(r.sandbox.emu.Faults().AddFallback(probe))
	}
	close(r.began)
}

// finish removes the faults, waits for recovery, and observes the sandbox. After a failed
// step it does not wait for the end state.
func (r *running) finish(failed bool) {
	r.seen.ended = time.Now()
	r.seen.steps = r.seen.ended.Sub(r.started)
	r.seen.faults = slices.DeleteFunc(r.sandbox.emu.Faults().List(), func(f fault.Status) bool {
		return !slices.ContainsFunc(r.faults, func(own fault.Fault) bool { return own.Name == f.Name })
	}) // without the scenario's own faults and the probe
	r.sandbox.emu.Faults().Clear()
	if r.interferes() {
		r.fail(r.tearDown())
		return
	}
	if !failed {
		r.fail(r.recover())
		return
	}
	ctx, cancel := context.WithTimeout(r.context, recoveryTimeout)
	defer cancel()
	r.fail(r.readEnd(r.sandbox.waitQuiet(ctx, r.idle, quietAtOnce)))
}

func (r *running) fail(err error) { r.seen.err = errors.Join(r.seen.err, err) }

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

// recover waits until the end state of the clean run is reached, or is certainly out of reach.
func (r *running) recover() error {
	limit := recoveryTimeout
	if r.earlyExit > 0 {
		limit = min(limit, earlyExitFactor*r.earlyExit)
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
	deserted := len(r.seen.end.Objects.Claims)+len(r.seen.end.Objects.Buckets)+len(r.seen.end.Objects.Accesses) == 0
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

// readEnd records the current state as the end state of the run.
func (r *running) readEnd(quiet bool) (err error) {
	if r.seen.end, err = r.sandbox.observe(r.context, "after the last step"); err != nil {
		return err
	}
	r.seen.end.Active = !quiet
	if quiet && r.watcher != nil {
		if r.seen.end.KeyUses, err = r.watcher.TryKeys(r.context, r.sandbox.scope, r.seen.end.Backend); err != nil {
			return fmt.Errorf("try the keys that were given: %w", err)
		}
	}
	return r.readState()
}

// endsAsClean reports whether the end state equals the clean run's, and nothing happened during the
// observation.
func (r *running) endsAsClean() bool {
	end := r.seen.end
	return r.clean != nil && end.After == end.Until && len(r.seen.state.differences(r.clean.state)) == 0
}

func (r *running) readState() (err error) {
	r.seen.names = newNames(r.scenario.Name)
	r.seen.names.read(r.sandbox.emu.Journal().Since(r.from))
	learnFrom(r.seen.names, r.seen.end)
	r.seen.state, err = stateOf(r.seen.end, r.seen.names)
	return err
}

// complete computes the values that the oracles compare.
func (r *running) complete() {
	r.fail(r.readState())
	scope := r.sandbox.scope()
	ofOthers := func(e journal.Event) bool { return !scope.Concerns(e) } // a sidecar that restarts grants the bystander's access again
	events := slices.DeleteFunc(slices.Clone(r.seen.events), ofOthers)
	r.seen.counts, r.seen.timeouts = countsOf(events, r.seen.names), timeouts(events, r.sandbox.callTimeout)
	r.seen.input = r.inputOf(r.seen.end)
}

// inputOf returns the input of the standing oracles, with a last observation.
func (r *running) inputOf(end observed.Observation) (in observed.Input) {
	if r.watcher != nil {
		r.watcher.MarkExternal(r.external...)
		in = r.watcher.Input(r.sandbox.scope())
		in.Observations = slices.Concat(r.seen.before, []observed.Observation{end})
	}
	return in
}

func learnFrom(n *names, m observed.Observation) {
	for i := range m.Objects.Claims {
		n.learn("BucketClaim", m.Objects.Claims[i].Name, string(m.Objects.Claims[i].UID))
	}
	for i := range m.Objects.Accesses {
		n.learn("BucketAccess", m.Objects.Accesses[i].Name, string(m.Objects.Accesses[i].UID))
	}
	for i := range m.Objects.Buckets {
		n.learn("Bucket", m.Objects.Buckets[i].Name, string(m.Objects.Buckets[i].UID))
	}
}

// waitQuiet waits until the sandbox is idle for a time and every component is running. It
// returns false if the context ends first.
func (w *sandbox) waitQuiet(ctx context.Context, detector *idle.Detector, window time.Duration) bool {
	if detector == nil {
		return true // the run has not started
	}
	for detector.WaitQuiet(ctx, w.scope, window) {
		if w.isRunning() {
			return true
		}
		if ctx.Err() != nil {
			break
		}
		idle.Pause(ctx, window)
	}
	return false
}
