package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/selection"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// Delays of a sandbox are shorter than in production, so that failed runs end soon, and long enough
// for a busy machine.
const (
	retryBaseDelay = 5 * time.Millisecond
	retryMaxDelay  = 100 * time.Millisecond
	s3Attempts     = 3 // applications retry after a fault of the store
	gcPercent      = 400
	endTimeout     = 30 * time.Second
)

// Options configure the sandboxes of an exploration.
type Options struct {
	// Emulator configures the emulator of each sandbox.
	Emulator emulator.Options
	// Plane is the control plane of each sandbox.
	Plane *selection.Choice
	// Interference runs the controllers of Kubernetes that follow interferences.
	Interference bool
	// Count is the number of sandboxes.
	Count int
}

// Sandbox is a control plane with all components, for one run at a time.
type Sandbox struct {
	// Emulator is the emulator of the sandbox.
	Emulator *emulator.Emulator

	plane  controlplane.ControlPlane
	engine *engine.Engine
	dir    string
	// classes are the classes of the emulator, which an interference can change.
	classes savedClasses
	// bystander is outside of all interferences; nil: there is none.
	bystander *bystander
	// components is the number of components of the emulator itself.
	components int
	// callTimeout limits calls to drivers.
	callTimeout time.Duration

	mu      sync.Mutex
	current *running
}

// newSandbox starts a sandbox. It runs the controllers that end namespaces and follow owner
// references only for interferences: COSI does not require them, and they use processor time.
func newSandbox(ctx context.Context, opts Options) (*Sandbox, error) {
	dir, err := os.MkdirTemp("", "cosi-emu-explore-")
	if err != nil {
		return nil, fmt.Errorf("create a directory for a sandbox: %w", err)
	}
	w := &Sandbox{dir: dir, callTimeout: opts.Emulator.RPCTimeout}
	if err := w.start(ctx, opts); err != nil {
		return nil, errors.Join(err, w.stop(context.WithoutCancel(ctx)))
	}
	return w, nil
}

func (w *Sandbox) start(ctx context.Context, options Options) error {
	opts := options.Emulator
	definitions, err := crds.For(opts.API)
	if err != nil {
		return err
	}
	w.plane, err = options.Plane.Start(ctx, controlplane.Options{
		Dir: filepath.Join(w.dir, "controlplane"), CRDs: definitions, NoControllers: !options.Interference,
		GCPercent: gcPercent, Processors: max(1, runtime.GOMAXPROCS(0)/options.Count),
	})
	if err != nil {
		return err
	}
	opts.ControlPlane, opts.ControlPlaneDir, opts.ControlPlaneKind = w.plane, "", ""
	opts.RetryBaseDelay, opts.RetryMaxDelay = retryBaseDelay, retryMaxDelay
	if w.Emulator, err = emulator.Start(ctx, opts); err != nil {
		return err
	}
	if err := w.createNamespace(ctx); err != nil {
		return err
	}
	if options.Interference {
		if err := errors.Join(w.awaitGarbageCollector(ctx), w.addBystander(ctx)); err != nil {
			return err
		}
	}
	if w.classes, err = w.saveClasses(ctx); err != nil {
		return err
	}
	w.components = len(w.Emulator.Components())
	w.engine = engine.New(w.Emulator, engine.Options{
		Namespace: run.Namespace, Observer: w, SkipOracles: true, S3Attempts: s3Attempts,
		Keep: true, // reset cleans up after a failed run
	})
	return nil
}

// createNamespace creates the namespace of the runs, unless it exists. It first waits for the end
// of a deleted one, which takes at most settleTimeout once it is empty.
func (w *Sandbox) createNamespace(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: run.Namespace}}
		err := w.Emulator.Client().Create(ctx, namespace)
		if !apierrors.IsAlreadyExists(err) {
			return err == nil, err
		}
		err = w.Emulator.Client().Get(ctx, client.ObjectKeyFromObject(namespace), namespace)
		return err == nil && namespace.DeletionTimestamp == nil, client.IgnoreNotFound(err)
	})
	if err != nil {
		return fmt.Errorf("create the namespace of a sandbox: %w", err)
	}
	return nil
}

func (w *Sandbox) stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, endTimeout)
	defer cancel()
	var errs []error
	if w.Emulator != nil {
		errs = append(errs, w.Emulator.Stop(ctx))
	}
	if w.plane != nil {
		errs = append(errs, w.plane.Stop(ctx))
	}
	return errors.Join(append(errs, os.RemoveAll(w.dir))...)
}

// Run runs a scenario with faults, which are active from its first step to its last. The
// run ends as soon as it reaches the end state of the clean run, if there is one.
func (w *Sandbox) Run(ctx context.Context, s *spec.Scenario, faults []fault.Fault, clean *run.Record) *run.Record {
	return w.perform(ctx, newRunning(ctx, w, s, faults, clean))
}

// RunCase runs a case. A run with an interference exits early, because the steps of the scenario
// may wait in vain. A probed run records watch events.
func (w *Sandbox) RunCase(ctx context.Context, s *spec.Scenario, faults []fault.Fault, clean *run.Record, probed bool) *run.Record {
	current := newRunning(ctx, w, s, faults, clean)
	current.probed = probed
	if current.interferes() {
		current.earlyExit = earlyExitAfter(current.faults, clean.Steps)
	}
	return w.perform(ctx, current)
}

// RunWithEarlyExit is like Run, but ends the run early if no component makes progress. The argument usual
// is the duration of a clean run.
func (w *Sandbox) RunWithEarlyExit(
	ctx context.Context, s *spec.Scenario, faults []fault.Fault, clean *run.Record, usual time.Duration,
) *run.Record {
	current := newRunning(ctx, w, s, faults, clean)
	current.earlyExit = earlyExitAfter(faults, usual)
	return w.perform(ctx, current)
}

func (w *Sandbox) perform(ctx context.Context, current *running) *run.Record {
	w.setCurrent(current)
	from := w.Emulator.Journal().Mark()
	within, stop := current.exitEarly(ctx)
	result := w.engine.Run(within, current.scenario)
	stop()
	current.seen.ExitedEarly = errors.Is(context.Cause(within), errIdle)
	w.setCurrent(nil)
	w.Emulator.Faults().Clear()
	o := &current.seen
	o.Result = result
	if o.End.Name == "" { // it failed before its first step
		current.finish(true) //nolint:contextcheck // it has the context of the run
	}
	o.Events = w.Emulator.Journal().Since(max(from, current.from))
	current.complete()
	return o
}

func (w *Sandbox) setCurrent(r *running) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.current = r
}

func (w *Sandbox) currentRun() *running {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.current
}

// ScenarioStarted implements outcome.Observer.
func (w *Sandbox) ScenarioStarted(*spec.Scenario, string) {}

// StepStarted implements outcome.Observer. Before the first step it injects the faults.
func (w *Sandbox) StepStarted(_ *spec.Scenario, step *spec.Step) {
	r := w.currentRun()
	if r == nil {
		return
	}
	if step == &r.scenario.Steps[0] {
		r.start()
	}
	r.note(step, true)
}

// StepEnded implements outcome.Observer. After the last step it observes the sandbox,
// before the engine cleans up.
func (w *Sandbox) StepEnded(_ *spec.Scenario, step outcome.StepResult) {
	r := w.currentRun()
	if r == nil {
		return
	}
	r.note(step.Step, false)
	failed := !step.Passed && !step.Skipped
	r.external = step.External
	if own := r.indexOf(step.Step); own == len(r.scenario.Steps)-1 || own >= 0 && failed {
		r.finish(failed)
	}
}

// ScenarioEnded implements outcome.Observer.
func (w *Sandbox) ScenarioEnded(outcome.Result) {}
