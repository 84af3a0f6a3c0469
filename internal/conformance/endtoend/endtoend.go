// Package endtoend runs scenarios of the suite, and the exploration of faults, with COSI's
// controller and sidecar in a control plane, and the tested driver. The control plane starts with
// the first scenario.
package endtoend

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/conformance/checks"
	"github.com/cosi-emu/cosi-emu/internal/explore"
	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/loader"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/timeout"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	"github.com/cosi-emu/cosi-emu/scenarios/suite"
)

const (
	// The delays between retries are short, because most scenarios have faults.
	retryBaseDelay = 50 * time.Millisecond
	retryMaxDelay  = time.Second
	stopTimeout    = time.Minute
	// sandboxes is the number of control planes of an exploration, and budget the time after which
	// it starts no more runs.
	sandboxes = 2
	budget    = 10 * time.Minute
	// exploreShare is the part of a call's time limit in an exploration, because many runs wait for
	// it.
	exploreShare = 5
)

// Options select the driver and configure its use.
type Options struct {
	// Driver is the endpoint of the driver, unix:///path/to/driver.sock.
	Driver string
	// Dialect is the protocol of the driver. The COSI kinds have its version.
	Dialect dialects.Dialect
	// ControlPlaneKind selects the control plane, and ControlPlaneDir has its programs.
	ControlPlaneKind emulator.ControlPlaneKind
	ControlPlaneDir  string
	// BucketParameters and AccessParameters are the parameters of the classes.
	BucketParameters, AccessParameters map[string]string
	// S3Endpoint is for applications if a driver of v1alpha1 returns none.
	S3Endpoint  string
	CallTimeout time.Duration
	// Version is the version of the program, and Program the command that runs it.
	Version, Program string
	// DriverFlags are the flags, for a shell, with which a command uses the driver.
	DriverFlags string
}

// IsEndpoint returns whether COSI can reach a driver at an endpoint.
func IsEndpoint(endpoint string) bool { return strings.HasPrefix(endpoint, "unix:///") }

// Runner runs scenarios. It implements checks.Scenarios.
type Runner struct {
	options Options

	mu       sync.Mutex
	started  bool
	emulator *emulator.Emulator
	engine   *engine.Engine
	err      error
}

// New returns a runner, which the caller closes. Nothing is started yet.
func New(options Options) *Runner { return &Runner{options: options} }

// Close stops everything that was started.
func (r *Runner) Close(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.emulator == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	return r.emulator.Stop(ctx)
}

// patience returns the factor for the time limits of steps, so that a call may use all of its own.
func (r *Runner) patience() int { return 1 + int(r.options.CallTimeout/timeout.Call(1)) }

func (r *Runner) emulated() emulator.Options {
	return emulator.Options{
		ControlPlaneKind: r.options.ControlPlaneKind, ControlPlaneDir: r.options.ControlPlaneDir,
		API: objectstorage.Version(r.options.Dialect.Version()), Driver: r.options.Driver, Dialect: r.options.Dialect,
		RPCTimeout: r.options.CallTimeout, DriverS3Endpoint: r.options.S3Endpoint,
		BucketParameters: r.options.BucketParameters, AccessParameters: r.options.AccessParameters,
		RetryBaseDelay: retryBaseDelay, RetryMaxDelay: retryMaxDelay, Strict: true,
	}
}

// driverFlags returns the flags with which a command uses the driver. The command finds all
// dialects but one by itself.
func (r *Runner) driverFlags() string {
	flags := r.options.DriverFlags
	if r.options.Dialect == dialects.NoModes {
		flags += " --dialect " + string(r.options.Dialect)
	}
	return flags
}

// start starts COSI once. The context limits the start.
func (r *Runner) start(ctx context.Context) (*engine.Engine, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.started {
		return r.engine, r.err
	}
	r.started = true
	ctrl.SetLogger(logr.Discard()) // libraries would complain about its absence
	r.emulator, r.err = emulator.Start(ctx, r.emulated())
	if r.err != nil {
		r.err = fmt.Errorf("COSI does not start: %w", r.err)
		return nil, r.err
	}
	r.engine = engine.New(r.emulator, engine.Options{Patience: r.patience()})
	return r.engine, nil
}

// Run implements checks.Scenarios.
func (r *Runner) Run(ctx context.Context, name string) (checks.ScenarioResult, error) {
	scenario, err := find(name)
	if err != nil {
		return checks.ScenarioResult{}, err
	}
	running, err := r.start(ctx)
	if err != nil {
		return checks.ScenarioResult{}, err
	}
	result := running.Run(ctx, scenario)
	done := checks.ScenarioResult{Rerun: fmt.Sprintf("%s run --suite --scenario %s %s", r.options.Program, name, r.driverFlags())}
	switch result.Outcome {
	case outcome.Passed:
	case outcome.Skipped:
		done.Skipped = result.Reason
	case outcome.Broken:
		return done, errors.New(strings.Join(describe(result.Failures), "; "))
	default:
		done.Failures = describe(result.Failures)
	}
	return done, nil
}

func describe(failures []outcome.Failure) []string {
	var all []string
	for _, f := range failures {
		text := []string{f.Error()}
		if f.Got != "" {
			text = append(text, "got:\n"+f.Got)
		}
		all = append(all, strings.Join(append(text, f.Notes...), "\n"))
	}
	return all
}

// Explore implements checks.Scenarios.
func (r *Runner) Explore(ctx context.Context, name string) (checks.ScenarioResult, error) {
	scenario, err := find(name)
	if err != nil {
		return checks.ScenarioResult{}, err
	}
	file := scenario.Position.File
	text, err := suite.FS.ReadFile(file)
	if err != nil {
		return checks.ScenarioResult{}, err
	}
	emulated := r.emulated()
	emulated.RPCTimeout = r.options.CallTimeout / exploreShare
	report, err := explore.Explore(ctx, explore.Options{
		File: file, Text: text, Emulator: emulated, Sandboxes: sandboxes, At: "sidecar rpc *", Prune: plan.PruneStep, Budget: budget,
		Version: r.options.Version,
	})
	if err != nil {
		return checks.ScenarioResult{}, err
	}
	result := checks.ScenarioResult{Rerun: r.exploration(name)}
	for _, g := range report.Findings {
		result.Failures = append(result.Failures, fmt.Sprintf("%s: %s; why: %s; at: %s", g.Oracle, g.Message, g.Why, strings.Join(g.Cases, ", ")))
	}
	return result, nil
}

// exploration returns the command that explores a scenario of the suite. The program has the suite: a user has none of its files.
func (r *Runner) exploration(name string) string {
	return fmt.Sprintf("%s explore --suite --scenario %s --at 'sidecar rpc *' %s", r.options.Program, name, r.driverFlags())
}

func find(name string) (*spec.Scenario, error) {
	set, err := loader.LoadSuite()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(set.Scenarios, func(s *spec.Scenario) bool { return s.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("the suite has no scenario %q", name)
	}
	return set.Scenarios[i], nil
}
