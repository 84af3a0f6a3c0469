package sandbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/oracle/watch"
	"github.com/cosi-emu/cosi-emu/internal/scenario/idle"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

type running struct {
	sandbox   *Sandbox
	context   context.Context //nolint:containedctx // the engine's observer has none
	scenario  *spec.Scenario
	faults    []fault.Fault
	clean     *run.Record   // nil: this is the clean run
	earlyExit time.Duration // 0: no early exit
	probed    bool          // the journal has watch events

	external []string // changes of the backend by steps

	from    uint64 // the last event before the first step
	watcher *watch.Watcher
	idle    *idle.Detector
	started time.Time
	seen    run.Record

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
	r.from, r.started = r.sandbox.Emulator.Journal().Mark(), time.Now()
	var err error
	r.idle = idle.New(r.sandbox.Emulator)
	r.watcher, err = watch.Start(r.context, r.sandbox.Emulator)
	r.fail(err)
	for _, f := range r.faults {
		r.fail(r.sandbox.Emulator.Faults().AddFallback(f))
	}
	if r.probed {
		r.fail(r.sandbox.Emulator.Faults().AddFallback(run.Probe))
	}
	close(r.began)
}

func (r *running) fail(err error) { r.seen.Err = errors.Join(r.seen.Err, err) }

// readEnd records the current state as the end state of the run.
func (r *running) readEnd(quiet bool) (err error) {
	if r.seen.End, err = r.sandbox.observe(r.context, "after the last step"); err != nil {
		return err
	}
	r.seen.End.Active = !quiet
	if quiet && r.watcher != nil {
		if r.seen.End.KeyUses, err = r.watcher.TryKeys(r.context, r.sandbox.scope, r.seen.End.Backend); err != nil {
			return fmt.Errorf("try the keys that were given: %w", err)
		}
	}
	return r.readState()
}

func (r *running) readState() (err error) {
	r.seen.Names = run.NewNames(r.scenario.Name)
	r.seen.Names.Read(r.sandbox.Emulator.Journal().Since(r.from))
	learnFrom(r.seen.Names, r.seen.End)
	r.seen.State, err = run.StateOf(r.seen.End, r.seen.Names)
	return err
}

// complete computes the values that the oracles compare.
func (r *running) complete() {
	r.fail(r.readState())
	scope := r.sandbox.scope()
	ofOthers := func(e journal.Event) bool { return !scope.Concerns(e) } // a sidecar that restarts grants the bystander's access again
	events := slices.DeleteFunc(slices.Clone(r.seen.Events), ofOthers)
	r.seen.Counts, r.seen.Timeouts = run.CountsOf(events, r.seen.Names), run.Timeouts(events, r.sandbox.callTimeout)
	r.seen.Input = r.inputOf(r.seen.End)
}

// inputOf returns the input of the standing oracles, with a last observation.
func (r *running) inputOf(end observed.Observation) (in observed.Input) {
	if r.watcher != nil {
		r.watcher.MarkExternal(r.external...)
		in = r.watcher.Input(r.sandbox.scope())
		in.Observations = slices.Concat(r.seen.Before, []observed.Observation{end})
		if forced := r.seen.Result.Forced; forced > 0 {
			in.EndAt(forced)
		}
	}
	return in
}

func learnFrom(n *run.Names, m observed.Observation) {
	for i := range m.Objects.Claims {
		n.Learn("BucketClaim", m.Objects.Claims[i].Name, string(m.Objects.Claims[i].UID))
	}
	for i := range m.Objects.Accesses {
		n.Learn("BucketAccess", m.Objects.Accesses[i].Name, string(m.Objects.Accesses[i].UID))
	}
	for i := range m.Objects.Buckets {
		n.Learn("Bucket", m.Objects.Buckets[i].Name, string(m.Objects.Buckets[i].UID))
	}
}

func newRunning(ctx context.Context, w *Sandbox, s *spec.Scenario, faults []fault.Fault, clean *run.Record) *running {
	return &running{
		sandbox: w, context: ctx, scenario: patientIn(faults, s), faults: faults, clean: clean,
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
