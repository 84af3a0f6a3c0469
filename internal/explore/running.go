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
	"github.com/cosi-emu/cosi-emu/internal/oracle"
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
	watcher *oracle.Watcher
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
	r.watcher, err = oracle.Watch(r.context, r.sandbox.emu)
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
func (r *running) inputOf(end oracle.Observation) (in oracle.Input) {
	if r.watcher != nil {
		r.watcher.MarkExternal(r.external...)
		in = r.watcher.Input(r.sandbox.scope())
		in.Observations = slices.Concat(r.seen.before, []oracle.Observation{end})
	}
	return in
}

func learnFrom(n *names, m oracle.Observation) {
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

func (r *running) interferes() bool {
	return slices.ContainsFunc(r.faults, func(f fault.Fault) bool { return f.Interfere != "" })
}
