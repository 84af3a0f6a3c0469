package engine

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/emulator/oracle"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/idle"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/starvation"
)

// Engine runs scenarios. It is safe for concurrent use.
type Engine struct {
	emulator *emulator.Emulator
	client   client.WithWatch
	journal  *journal.Journal
	options  Options

	// shared is held by scenarios that run beside others, and exclusively by
	// those that cannot.
	shared    sync.RWMutex
	isolation *isolation
	scopes    atomic.Int64
	deleted   namespaceQueue

	starvation starvation.Meter
}

// Options say how scenarios are run.
type Options struct {
	// AllowExec lets scenarios run programs.
	AllowExec bool
	// Update has golden files written instead of compared.
	Update bool
	// Keep leaves the objects of scenarios that fail where they are.
	Keep bool
	// Namespace, if set, is that of every scenario, instead of one for each. It must
	// exist, and it stays: making and deleting one takes the API server longer than
	// most scenarios. Scenarios that have it must not run at the same time.
	Namespace string
	// S3Attempts is how often an S3 request is made that fails for a reason that may
	// pass, as applications do; 0 means once, so that failures are seen.
	S3Attempts int
	// SkipOracles leaves the oracles to the caller, which observes the state after the
	// last step.
	SkipOracles bool
	// NoBackend says that the driver has no observable backend, for instance because
	// it replays a recording. Steps that inspect the backend, or use S3, are skipped,
	// and the oracles do not compare with it.
	NoBackend bool
	// Patience multiplies the timeouts of steps, for machines that are slow or busy;
	// less than 1 means 1.
	Patience int
	// Observer receives the progress of scenarios; nil means none does.
	Observer Observer
}

// New returns an engine on a running emulator, which stays the caller's to stop.
func New(emu *emulator.Emulator, options Options) *Engine {
	if options.Observer == nil {
		options.Observer = NopObserver{}
	}
	return &Engine{emulator: emu, client: emu.Client(), journal: emu.Journal(), isolation: isolationFor(emu), options: options}
}

// Run runs a scenario, cleans up behind it, and judges it. The result says what was
// wrong; a context that ends makes it Broken. One that needs what is not there is
// Skipped.
func (e *Engine) Run(ctx context.Context, s *spec.Scenario) Result {
	if reason := e.unmetRequirement(s); reason != "" {
		return e.skip(s, reason)
	}
	defer e.enter(s)()
	scope, err := e.newScope(ctx, s.Name)
	r := &run{
		engine: e, scenario: s, scope: scope, idle: idle.New(e.emulator),
		marks: map[string]uint64{}, result: Result{Scenario: s, Started: time.Now(), From: e.journal.Mark() + 1},
	}
	r.created.max = int(r.limits().Objects)
	r.namespace = cmp.Or(e.options.Namespace, r.scope)
	r.result.Namespace = r.namespace
	e.options.Observer.ScenarioStarted(s, r.namespace)
	e.isolation.enter(r)
	if err == nil {
		r.watcher, err = oracle.Watch(ctx, e.emulator)
	}
	if err == nil {
		r.perform(ctx)
	} else {
		r.fail(err)
		r.setOutcome()
	}
	r.result.Scope = r.eventScope()
	e.isolation.leave(r, len(r.result.Failures) > 0)
	r.result.Duration, r.result.To = time.Since(r.result.Started), e.journal.Mark()
	r.result.redact(e.journal)
	e.options.Observer.ScenarioEnded(r.result)
	return r.result
}

// skip does not run a scenario.
func (e *Engine) skip(s *spec.Scenario, reason string) Result {
	mark := e.journal.Mark()
	skipped := Result{Scenario: s, Outcome: Skipped, Reason: reason, Started: time.Now(), From: mark + 1, To: mark}
	e.options.Observer.ScenarioStarted(s, "")
	e.options.Observer.ScenarioEnded(skipped)
	return skipped
}

// enter waits until the scenario may run: alone if it touches what all share.
func (e *Engine) enter(s *spec.Scenario) (leave func()) {
	if runsAlone(s) {
		e.shared.Lock()
		return e.shared.Unlock
	}
	e.shared.RLock()
	return e.shared.RUnlock
}

// perform runs all of a scenario, and finds its outcome.
func (r *run) perform(ctx context.Context) {
	err := r.setUp(ctx)
	if err == nil {
		limited, cancel := r.withinDuration(ctx)
		err = r.steps(limited, r.scenario.Steps)
		cancel()
	}
	r.fail(err)
	r.fail(r.healAll())
	if r.engine.options.Keep && len(r.result.Failures) > 0 {
		r.setOutcome()
		return
	}
	// Cleaning up is not to be cut short by what has ended the scenario.
	cleanUp, cancel := r.engine.withTimeout(context.WithoutCancel(ctx), r.engine.scaleTimeout(cleanUpTimeout))
	defer cancel()
	r.fail(r.end(cleanUp))
	r.setOutcome()
}

// fail takes an error as a failure: nil is none.
func (r *run) fail(err error) {
	if err == nil {
		return
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range joined.Unwrap() {
			r.fail(one)
		}
		return
	}
	failure, ok := errors.AsType[*Failure](err)
	if !ok {
		failure = &Failure{Position: r.scenario.Position, Message: err.Error(), Broken: true}
	}
	r.result.Failures = append(r.result.Failures, *failure)
}

func (r *run) setOutcome() {
	r.result.Outcome = Passed
	for _, failure := range r.result.Failures {
		if failure.Broken {
			r.result.Outcome = Broken
			return
		}
		r.result.Outcome = Failed
	}
}
