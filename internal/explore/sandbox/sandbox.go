package sandbox

import (
	"cmp"
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
	// Emulator configures the emulator of each sandbox. A data directory is for all of them: each has a directory of its
	// own in it while it exists.
	Emulator emulator.Options
	// Plane is the control plane of each sandbox.
	Plane *selection.Choice
	// Interference runs the controllers of Kubernetes that follow interferences.
	Interference bool
	// Count is the number of sandboxes.
	Count int

	rest *restStates // of all sandboxes of a pool
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
	// rest has the states at rest of the whole exploration.
	rest *restStates
	// backOffMark is the last event of the journal that endBackOff has read.
	backOffMark uint64

	mu      sync.Mutex
	current *running
}

// newSandbox starts a sandbox. It runs the controllers that end namespaces and follow owner
// references only for interferences: COSI does not require them, and they use processor time.
func newSandbox(ctx context.Context, opts Options) (*Sandbox, error) {
	dir, err := os.MkdirTemp(opts.Emulator.DataDir, "cosi-emu-explore-")
	if err != nil {
		return nil, fmt.Errorf("create a directory for a sandbox: %w", err)
	}
	w := &Sandbox{dir: dir, callTimeout: opts.Emulator.RPCTimeout, rest: cmp.Or(opts.rest, &restStates{})}
	if err := w.start(ctx, opts); err != nil {
		return nil, errors.Join(err, w.stop(context.WithoutCancel(ctx)))
	}
	return w, nil
}

func (sb *Sandbox) start(ctx context.Context, options Options) error {
	opts := options.Emulator
	definitions, err := crds.For(opts.API)
	if err != nil {
		return err
	}
	kept := opts.DataDir != ""
	if kept {
		opts.DataDir = filepath.Join(sb.dir, "data")
	}
	sb.plane, err = options.Plane.Start(ctx, controlplane.Options{
		Dir: filepath.Join(sb.dir, "controlplane"), KeepData: kept, CRDs: definitions, NoControllers: !options.Interference,
		GCPercent: gcPercent, Processors: max(1, runtime.GOMAXPROCS(0)/options.Count),
	})
	if err != nil {
		return err
	}
	opts.ControlPlane, opts.ControlPlaneDir, opts.ControlPlaneKind = sb.plane, "", ""
	opts.RetryBaseDelay, opts.RetryMaxDelay = retryBaseDelay, retryMaxDelay
	if sb.Emulator, err = emulator.Start(ctx, opts); err != nil {
		return err
	}
	if err := sb.createNamespace(ctx); err != nil {
		return err
	}
	if options.Interference {
		if err := errors.Join(sb.awaitGarbageCollector(ctx), sb.addBystander(ctx)); err != nil {
			return err
		}
	}
	if sb.classes, err = sb.saveClasses(ctx); err != nil {
		return err
	}
	sb.components = len(sb.Emulator.Components())
	sb.engine = engine.New(sb.Emulator, engine.Options{
		Namespace: run.Namespace, Observer: sb, SkipOracles: true, S3Attempts: s3Attempts,
		Keep: true, // reset cleans up after a failed run
	})
	return nil
}

// createNamespace creates the namespace of the runs, unless it exists. It first waits for the end
// of a deleted one, which takes at most settleTimeout once it is empty.
func (sb *Sandbox) createNamespace(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: run.Namespace}}
		err := sb.Emulator.Client().Create(ctx, namespace)
		if !apierrors.IsAlreadyExists(err) {
			return err == nil, err
		}
		err = sb.Emulator.Client().Get(ctx, client.ObjectKeyFromObject(namespace), namespace)
		return err == nil && namespace.DeletionTimestamp == nil, client.IgnoreNotFound(err)
	})
	if err != nil {
		return fmt.Errorf("create the namespace of a sandbox: %w", err)
	}
	return nil
}

func (sb *Sandbox) stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, endTimeout)
	defer cancel()
	var errs []error
	if sb.Emulator != nil {
		errs = append(errs, sb.Emulator.Stop(ctx))
	}
	if sb.plane != nil {
		errs = append(errs, sb.plane.Stop(ctx))
	}
	return errors.Join(append(errs, os.RemoveAll(sb.dir))...)
}

// Run runs a scenario with faults, which are active from its first step to its last. The
// run ends as soon as it reaches the end state of the clean run, if there is one.
func (sb *Sandbox) Run(ctx context.Context, s *spec.Scenario, faults []fault.Fault, clean *run.Record) *run.Record {
	return sb.perform(ctx, newRunning(ctx, sb, s, faults, clean))
}

// RunCase runs a case. A run with an interference exits early, because the steps of the scenario
// may wait in vain. A probed run records watch events.
func (sb *Sandbox) RunCase(ctx context.Context, s *spec.Scenario, faults []fault.Fault, clean *run.Record, probed bool) *run.Record {
	current := newRunning(ctx, sb, s, faults, clean)
	current.probed = probed
	if current.interferes() {
		current.earlyExit = earlyExitAfter(current.faults, clean.Steps)
	}
	return sb.perform(ctx, current)
}

// RunWithEarlyExit is like Run, but ends the run early if no component makes progress. The argument usual
// is the duration of a clean run.
func (sb *Sandbox) RunWithEarlyExit(
	ctx context.Context, s *spec.Scenario, faults []fault.Fault, clean *run.Record, usual time.Duration,
) *run.Record {
	current := newRunning(ctx, sb, s, faults, clean)
	current.earlyExit = earlyExitAfter(faults, usual)
	return sb.perform(ctx, current)
}

func (sb *Sandbox) perform(ctx context.Context, current *running) *run.Record {
	sb.setCurrent(current)
	from := sb.Emulator.Journal().Mark()
	within, stop := current.exitEarly(ctx)
	result := sb.engine.Run(within, current.scenario)
	stop()
	current.seen.ExitedEarly = errors.Is(context.Cause(within), errIdle)
	sb.setCurrent(nil)
	sb.Emulator.Faults().Clear()
	o := &current.seen
	o.Result = result
	if o.End.Name == "" { // it failed before its first step
		current.finish(true) //nolint:contextcheck // it has the context of the run
	}
	o.Events = sb.Emulator.Journal().Since(max(from, current.from))
	current.complete()
	return o
}

func (sb *Sandbox) setCurrent(r *running) {
	sb.mu.Lock()
	defer sb.mu.Unlock()
	sb.current = r
}

func (sb *Sandbox) currentRun() *running {
	sb.mu.Lock()
	defer sb.mu.Unlock()
	return sb.current
}

// ScenarioStarted implements outcome.Observer.
func (sb *Sandbox) ScenarioStarted(*spec.Scenario, string) {}

// StepStarted implements outcome.Observer. Before the first step it injects the faults.
func (sb *Sandbox) StepStarted(_ *spec.Scenario, step *spec.Step) {
	r := sb.currentRun()
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
func (sb *Sandbox) StepEnded(_ *spec.Scenario, step outcome.StepResult) {
	r := sb.currentRun()
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
func (sb *Sandbox) ScenarioEnded(outcome.Result) {}
