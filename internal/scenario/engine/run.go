package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/oracle/watch"
	"github.com/cosi-emu/cosi-emu/internal/scenario/application"
	"github.com/cosi-emu/cosi-emu/internal/scenario/backend"
	"github.com/cosi-emu/cosi-emu/internal/scenario/idle"
	"github.com/cosi-emu/cosi-emu/internal/scenario/isolation"
	"github.com/cosi-emu/cosi-emu/internal/scenario/limits"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
	"github.com/cosi-emu/cosi-emu/internal/scenario/variables"
)

const cleanUpTimeout = 30 * time.Second

type run struct {
	engine    *Engine
	scenario  *spec.Scenario
	scope     string
	namespace string
	isolated  *isolation.Run

	variables *variables.Set

	mu      sync.Mutex
	marks   map[string]uint64
	faults  []injection // active faults
	words   []string    // identify events of the scenario
	learned uint64      // the last event that has been searched for words
	// namespaces are those that steps have created.
	namespaces []string
	result     outcome.Result
	// unsupported is the answer of a user's driver to a call for a feature that it does not have.
	unsupported string
	// missing is a feature that the user's driver does not have, and the steps require. failedSteps is the number of failures
	// of steps.
	missing     string
	failedSteps int
	// kept means that nothing follows the steps.
	kept bool
	// restarted means that the emulator is another one than that of the steps. Company means that another scenario ran at the
	// same time before, and others are the scopes of scenarios that had failed then.
	restarted bool
	company   bool
	others    []string
	// unresponsive means that a step failed because the driver did not answer.
	unresponsive bool

	branches    atomic.Int32 // steps that run others at the same time
	watcher     *watch.Watcher
	idle        *idle.Detector
	external    *backend.External
	driverCalls *backend.Calls
	storage     backend.Backend
	puts        *limits.Puts
	application *application.Application
	created     *limits.Objects
	drivers     map[string]*emulator.AddedDriver // by their names in the document
}

func (e *Engine) newRun(s *spec.Scenario, scope string) *run {
	most := s.Setup.Limits.OrDefault()
	r := &run{
		engine: e, scenario: s, scope: scope, namespace: cmp.Or(e.options.Namespace, scope),
		marks: map[string]uint64{}, learned: e.journal.Mark(),
		idle: idle.New(e.emulator), puts: limits.NewPuts(most), created: limits.NewObjects(most),
		result: outcome.Result{Scenario: s, Started: time.Now()},
	}
	r.result.Namespace = r.namespace
	r.variables = r.initialVariables()
	r.application = &application.Application{
		Client: e.client, Variables: r.variables, Puts: r.puts, Namespace: r.namespace, Attempts: e.options.S3Attempts,
	}
	return r
}

type verb func(r *run, ctx context.Context, s *spec.Step) (any, error)

var verbs map[string]verb

func init() { //nolint:gochecknoinits // verbs with steps inside refer to the table
	verbs = map[string]verb{
		"apply": (*run).apply, "patch": (*run).patch, "delete": (*run).remove,
		"expect": (*run).expect, "always": (*run).always,
		"calls": (*run).calls, "never": (*run).never, "settle": (*run).settle, "mark": (*run).mark,
		"call": (*run).call, "backend": (*run).backend, "s3": (*run).s3,
		"crash": (*run).crash, "restart": (*run).restart, "start": (*run).start, "stop": (*run).stop,
		"parallel": (*run).parallel, "repeat": (*run).repeat, "forEach": (*run).forEach, "use": (*run).use,
		"exec": (*run).exec, "golden": (*run).golden, "logs": (*run).logs, "inject": (*run).inject, "heal": (*run).heal,
	}
}

func (r *run) s3(ctx context.Context, s *spec.Step) (any, error) {
	return r.application.Do(ctx, s.S3)
}

func (r *run) steps(ctx context.Context, all []spec.Step) error {
	for i := range all {
		if err := r.step(ctx, &all[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) step(ctx context.Context, s *spec.Step) error {
	observer := r.engine.options.Observer
	observer.StepStarted(r.scenario, s)
	result := outcome.StepResult{Step: s, Started: time.Now()}
	value, err := r.do(ctx, s)
	r.watcher.Collect()
	if errors.Is(err, errSkipped) {
		result.Skipped, err = true, nil
	}
	result.External = r.watcher.External()
	result.Duration, result.Passed = time.Since(result.Started), err == nil && !result.Skipped
	if result.Passed && s.As != "" {
		r.variables.Bind(s.As, value)
	}
	r.mu.Lock()
	r.result.Steps = append(r.result.Steps, result)
	r.mu.Unlock()
	observer.StepEnded(r.scenario, result)
	return err
}

// errSkipped means that the condition of a step is false.
var errSkipped = errors.New("the step is skipped")

func (r *run) do(ctx context.Context, s *spec.Step) (any, error) {
	if r.engine.options.NoS3 && s.Verb == "s3" {
		return nil, errSkipped
	}
	if r.engine.options.NoBackend && slices.Contains([]string{"backend", "s3"}, s.Verb) {
		return nil, errSkipped
	}
	if s.When.Expression != nil {
		holds, err := s.When.Test(r.variables.Now(ctx))
		if err != nil {
			return nil, r.broken(s, err)
		}
		if !holds {
			return nil, errSkipped
		}
	}
	limit := r.engine.timeouts.Scale(s.Timeout.Or(spec.Duration(r.scenario.Setup.Timeout.Or(spec.DefaultTimeout))))
	mark := r.engine.journal.Mark()
	within, cancel := r.engine.timeouts.WithProgress(ctx, limit, func() time.Time { return r.lastProgress(mark) })
	defer cancel()
	if len(s.Nested()) > 0 || s.Verb == "use" {
		within = ctx // steps inside have their own timeouts
	}
	value, err := verbs[s.Verb](r, within, s)
	if !s.Rejected.IsZero() {
		err = r.wantRejection(ctx, s, err)
	}
	if ctx.Err() != nil {
		err = interrupted(ctx, err)
	}
	return value, r.locate(s, r.explain(within, err, mark))
}

// interrupted marks the error of a step as Broken if the scenario was cancelled in the
// meantime.
func interrupted(ctx context.Context, err error) error {
	failure, ok := errors.AsType[*outcome.Failure](err)
	if !ok {
		return cmp.Or(err, context.Cause(ctx))
	}
	if limit, ok := errors.AsType[*limits.Error](context.Cause(ctx)); ok {
		failure.Message = limit.Error() + ": " + failure.Message
	}
	failure.Broken = true
	return failure
}

func (r *run) locate(s *spec.Step, err error) error {
	if err == nil {
		return nil
	}
	failure, ok := errors.AsType[*outcome.Failure](err)
	if !ok {
		return r.broken(s, err)
	}
	if failure.Step == nil {
		failure.Step = s
	}
	if failure.Position == (document.Position{}) {
		failure.Position = s.Position
	}
	return err
}

func (r *run) broken(s *spec.Step, err error) error {
	return &outcome.Failure{Step: s, Position: s.Position, Message: err.Error(), Broken: true}
}
