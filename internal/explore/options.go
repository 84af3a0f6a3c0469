package explore

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/binaries"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/kind"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/selection"
	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
	"github.com/cosi-emu/cosi-emu/internal/explore/sandbox"
	"github.com/cosi-emu/cosi-emu/internal/explore/shard"
	"github.com/cosi-emu/cosi-emu/internal/explore/shrink"
)

// sandboxesFor returns the default number of parallel runs. Runs also wait for deadlines and
// restarts: a run uses two thirds of a processor on a control plane of programs, and a quarter with
// an API server in this process. The maximum limits memory.
func sandboxesFor(processors int, plane kind.Kind) int {
	if plane == kind.Embedded {
		return min(max(leastSandboxes, processors*4), mostEmbedded)
	}
	return min(max(leastSandboxes, processors*3/2), mostSandboxes)
}

const (
	leastSandboxes = 3
	mostSandboxes  = 8
	mostEmbedded   = 32
)

// Options configure an exploration.
type Options struct {
	// File is the name of the scenario file, and Text its content, with exactly one
	// scenario. Used files are relative to File.
	File string
	Text []byte

	// Emulator configures every sandbox, for example its controller, sidecar and driver.
	// The control plane and the delays between retries are ignored. RPCTimeout defaults
	// to plan.DefaultCallTimeout. All sandboxes share a driver behind a socket. Faults do not
	// crash that driver, and its backend is not visible.
	Emulator emulator.Options
	// Sandboxes is the number of parallel runs. It defaults to four for a processor if the
	// API server is in this process, up to 32, and otherwise to three for two processors,
	// at least three and at most eight.
	Sandboxes int
	// Kinds are the kinds of effects to try. It defaults to plan.Kinds. With plan.LoseLease, controller and
	// sidecar elect leaders; only plan.Lag may be beside it.
	Kinds []plan.Kind
	// At is a pattern of the points to try, as printed, in which * matches any
	// characters. It defaults to all.
	At string
	// Pairs also tries two faults in one run, except in states that occurred before.
	Pairs bool
	// Interference tries changes by people and other programs to objects, instead of faults. With
	// Pairs, it also tries one interference and one fault in one run.
	Interference bool
	// Random is the number of additional runs with two or three random faults. The same
	// Seed selects the same faults.
	Random int
	Seed   uint64
	// Prune selects which operations count as equivalent; a single fault is tried at one
	// of them. It defaults to plan.PruneState, which tries every fault of the first scenario.
	Prune plan.Prune
	// Sample is the number of single faults to try, selected by Seed; 0 means all.
	Sample int
	// Shard selects a part of the cases, to explore the others elsewhere.
	Shard shard.Shard
	// Budget is the time limit for starting runs; 0 means none.
	Budget time.Duration
	// MeasureSeams measures the overhead of the seams without faults.
	MeasureSeams bool
	// Shrink shrinks each finding to a small scenario.
	Shrink bool
	// ShrinkTimeout limits the shrinking of one finding. It defaults to
	// shrink.DefaultTimeout.
	ShrinkTimeout time.Duration
	// Out is a directory for findings, created if missing. Each finding has the shrunk
	// scenario, the recording of its run, and the timeline. If Out is empty, nothing is
	// written, and shrunk scenarios are not run alone.
	Out string
	// Version is the version of the program, for recordings. Program is the command that runs it, for timelines; empty
	// means cosi-emu.
	Version, Program string
	// State is a file with the completed runs, or s3://BUCKET/KEY, from which an
	// interrupted exploration continues. If State is empty, nothing is stored.
	State string
	// Progress is called with the progress, from one goroutine at a time; may be nil.
	Progress func(Progress)

	shared *sharedState // shared with explorations of other scenarios; may be nil

	plane *selection.Choice // the control plane of the sandboxes; nil: it is not chosen yet
}

// deadline is the time after which no run starts; zero means none.
type deadline time.Time

func (o Options) ends() deadline {
	if o.Budget == 0 {
		return deadline{}
	}
	return deadline(time.Now().Add(o.Budget))
}

func (d deadline) passed() bool { return !time.Time(d).IsZero() && time.Now().After(time.Time(d)) }

// Progress is the progress of an exploration.
type Progress struct {
	// Phase is the current phase.
	Phase string
	// Done and Total count runs.
	Done, Total int
	// Findings counts the runs with findings.
	Findings int
	// Last is the last completed case, and Took the duration of its runs.
	Last string
	Took time.Duration
	// Rate is runs per second, and Left the estimated remaining time.
	Rate float64
	Left time.Duration
}

func (o Options) withDefaults(ctx context.Context) (Options, error) {
	o.Emulator.RPCTimeout = cmp.Or(o.Emulator.RPCTimeout, plan.DefaultCallTimeout)
	o.ShrinkTimeout = cmp.Or(o.ShrinkTimeout, shrink.DefaultTimeout)
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	o.Prune = cmp.Or(o.Prune, plan.PruneState)
	if err := o.validate(); err != nil {
		return o, err
	}
	if o.plane == nil {
		plane, err := choosePlane(ctx, o)
		if err != nil {
			return o, err
		}
		o.plane = plane
	}
	if o.Sandboxes == 0 {
		o.Sandboxes = sandboxesFor(runtime.GOMAXPROCS(0), o.plane.Kind)
	}
	o.Emulator.LeaderElection = o.Emulator.LeaderElection || slices.Contains(o.Kinds, plan.LoseLease)
	return o, o.validateSandboxes()
}

func choosePlane(ctx context.Context, o Options) (*selection.Choice, error) {
	chosen, err := kind.Parse(string(o.Emulator.ControlPlaneKind))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", plan.ErrOptions, err)
	}
	plane, err := selection.Choose(ctx, chosen, binaries.Options{Dir: o.Emulator.ControlPlaneDir})
	if err != nil {
		return nil, err
	}
	if o.Interference && plane.Kind == kind.Envtest && plane.Binaries.ControllerManager == "" {
		return nil, fmt.Errorf("explore interferences, which require %s: %s", binaries.ControllerManager, plane.Notice)
	}
	return &plane, nil
}

// validate rejects invalid options, and options that exclude each other.
func (o Options) validate() error {
	if o.Sandboxes < 0 || o.Random < 0 || o.Sample < 0 || o.Budget < 0 || o.ShrinkTimeout < 0 {
		return fmt.Errorf("%w: sandboxes, sample, random, budget and shrink timeout must not be negative", plan.ErrOptions)
	}
	if !slices.Contains(plan.Prunes(), o.Prune) {
		return fmt.Errorf("%w: prune is %q and must be one of %v", plan.ErrOptions, o.Prune, plan.Prunes())
	}
	other := func(k plan.Kind) bool { return k != plan.LoseLease && k != plan.Lag }
	if slices.Contains(o.Kinds, plan.LoseLease) && slices.ContainsFunc(o.Kinds, other) {
		return fmt.Errorf("%w: the effect %s needs leader election, with which other effects take as long as a Lease lasts: "+
			"explore it alone, or with %s", plan.ErrOptions, plan.LoseLease, plan.Lag)
	}
	for _, kind := range o.Kinds {
		if !slices.Contains(o.kinds(), kind) {
			return fmt.Errorf("%w: unknown effect %q; must be one of %v", plan.ErrOptions, kind, o.kinds())
		}
	}
	return nil
}

// validateSandboxes rejects more sandboxes than the driver allows.
func (o Options) validateSandboxes() error {
	if o.Sandboxes > 1 && o.Emulator.Driver != "" && o.Emulator.Implementations.DriverCommand != nil {
		return fmt.Errorf("%w: %d sandboxes would run a driver each, which cannot all listen at %s; use one (--parallel 1)",
			plan.ErrOptions, o.Sandboxes, o.Emulator.Driver)
	}
	return nil
}

func (o Options) kinds() []plan.Kind {
	if o.Interference {
		return plan.InterferenceKinds()
	}
	return plan.AllKinds()
}

func (o Options) ofSandboxes() sandbox.Options {
	return sandbox.Options{Emulator: o.Emulator, Plane: o.plane, Interference: o.Interference, Count: o.Sandboxes}
}
