package engine

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/scenario/isolation"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/requirements"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/timeout"
)

// Engine runs scenarios. It is safe for concurrent use.
type Engine struct {
	emulator *emulator.Emulator
	client   client.WithWatch
	journal  *journal.Journal
	options  Options

	// Scenarios hold shared for reading, and those that run alone for writing.
	shared    sync.RWMutex
	isolation *isolation.Isolation
	scopes    atomic.Int64
	deleted   namespaceQueue

	timeouts timeout.Stretcher
}

// Options configure an engine.
type Options struct {
	// AllowExec lets scenarios run programs.
	AllowExec bool
	// Update writes golden files instead of comparing with them.
	Update bool
	// Keep keeps the objects of scenarios that fail.
	Keep bool
	// Namespace, if set, is the namespace of all scenarios, which then must not run at the same
	// time. It must exist, and is not deleted. Creating and deleting a namespace takes longer than
	// most scenarios.
	Namespace string
	// S3Attempts is the maximum number of attempts of an S3 request, for transient errors.
	// 0 means one attempt, so that failures are visible.
	S3Attempts int
	// SkipOracles leaves the oracles to the caller, which observes the state after the
	// last step.
	SkipOracles bool
	// NoBackend means that the driver has no observable backend, for instance because it replays a
	// recording. Steps that inspect the backend or use S3 are skipped, and the oracles do not
	// compare with it.
	NoBackend bool
	// NoS3 means that the driver has no S3 service: steps that use S3 are skipped.
	NoS3 bool
	// Patience multiplies the timeouts of steps, for machines that are slow or busy;
	// less than 1 means 1.
	Patience int
	// Observer receives the progress of scenarios; nil means none.
	Observer outcome.Observer
}

// New returns an engine on a running emulator. The engine does not stop the emulator.
func New(emu *emulator.Emulator, options Options) *Engine {
	if options.Observer == nil {
		options.Observer = outcome.NopObserver{}
	}
	return &Engine{emulator: emu, client: patient(emu.Client()), journal: emu.Journal(), isolation: isolation.For(emu), options: options,
		timeouts: timeout.Stretcher{Patience: options.Patience}}
}

// Run runs a scenario, cleans up after it, and judges it. The result lists all
// failures. It is Broken if the context ends, and Skipped if the emulator lacks a
// requirement.
func (e *Engine) Run(ctx context.Context, s *spec.Scenario) outcome.Result {
	return e.Begin(ctx, s).End(ctx)
}

func (e *Engine) skip(s *spec.Scenario, reason string) outcome.Result {
	mark := e.journal.Mark()
	skipped := outcome.Result{Scenario: s, Outcome: outcome.Skipped, Reason: reason, Started: time.Now(), From: mark + 1, To: mark}
	e.options.Observer.ScenarioStarted(s, "")
	e.options.Observer.ScenarioEnded(skipped)
	return skipped
}

// RunsAlone reports whether no other scenario can run at the same time.
func (e *Engine) RunsAlone(s *spec.Scenario) bool { return e.facts().RunsAlone(s) }

// facts describes the emulator to scenarios with requirements.
func (e *Engine) facts() requirements.Emulator {
	return requirements.Emulator{
		Info: e.emulator.Info(), HasStore: e.emulator.Store() != nil, HasControlPlane: e.emulator.ControlPlane() != nil,
		HasDriverProcess: e.emulator.Component(emulator.ComponentDriver) != nil,
		OwnDriver:        e.ownDriver(), AllowExec: e.options.AllowExec, NoS3: e.options.NoS3,
	}
}

// enter waits until the scenario may run: alone, if it affects shared components.
func (e *Engine) enter(s *spec.Scenario) (leave func()) {
	if e.RunsAlone(s) {
		e.shared.Lock()
		return e.shared.Unlock
	}
	e.shared.RLock()
	return e.shared.RUnlock
}

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
	failure, ok := errors.AsType[*outcome.Failure](err)
	if !ok {
		failure = &outcome.Failure{Position: r.scenario.Position, Message: err.Error(), Broken: true}
	}
	r.result.Failures = append(r.result.Failures, *failure)
}

// setOutcome judges by the first failure. A later failure of the clean-up does not hide it.
func (r *run) setOutcome() {
	switch failures := r.result.Failures; {
	case len(failures) == 0:
		r.result.Outcome = outcome.Passed
	case failures[0].Broken:
		r.result.Outcome = outcome.Broken
	default:
		r.result.Outcome = outcome.Failed
	}
}
