package scenario

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/startup"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/pods/image"
	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/loader"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/timeout"
	"github.com/cosi-emu/cosi-emu/internal/session"
)

// defaultRunTimeout is the time limit of a run that hangs.
const defaultRunTimeout = 30 * time.Minute

type scenarioRun struct {
	start     startup.Flags
	selection selection
	parallel  int
	timeout   time.Duration
	keep      bool
	watch     bool
	restart   bool
	suite     bool
	engine    engine.Options
	reports   reports
	record    string
	// callTimeout reports whether --rpc-timeout is given, parallelGiven whether --parallel is.
	callTimeout, parallelGiven func() bool

	api objectstorage.Version

	streams      cli.Streams
	text         report.Text
	destinations []destination
}

// runHelp is the description in the help of 'cosi-emu run'.
const runHelp = `Start an emulator, run scenarios, and stop the emulator. The scenarios are in the
files, and in all *.yaml and *.yml files below the directories. With --suite, the command
runs the scenarios that ship with this program. It checks all files before anything starts.
docs/scenarios.md describes the format. Scenarios for the kinds of v1alpha1 and of
v1alpha2 run one after the other, with an emulator each.

For a scenario that fails, the command prints the step and its position, the
difference between expected and actual state, the last events of its objects, and the
commands that run it again and replay its recording.

With --existing-cluster the scenarios run on the cluster of the kubeconfig, as with
'cosi-emu up'. A scenario that requires something else is skipped, with the reason.

` + startup.OwnComponentsHelp + `

Scenarios that are all for another version of the kinds are rejected.

Exit codes: 0 if all scenarios passed, or were skipped beside others that passed; 1 if
one failed; 2 if a file or the command line is wrong, all scenarios were skipped, or all
that a --scenario names; 3 if the environment failed, because the emulator did not
start or a scenario did not finish.`

// NewRun returns the command run.
func NewRun(streams cli.Streams) *cobra.Command {
	r := &scenarioRun{streams: streams, reports: reports{title: "COSI scenarios"}}
	cmd := &cobra.Command{
		Use:   "run FILE|DIRECTORY... | --suite",
		Short: "Run scenarios",
		Long:  runHelp,
		Example: `  # All scenarios of a directory, with reports for people and for CI.
  cosi-emu run scenarios/ --report html=report.html --junit junit.xml

  # Some of them, by label or by name.
  cosi-emu run scenarios/ --filter 'area=deletion,speed!=slow'
  cosi-emu run scenarios/ --scenario 'delete-*'

  # The scenarios that ship with the program, all or by label.
  cosi-emu run --suite
  cosi-emu run --suite --filter area=deletion

  # While you write one.
  cosi-emu run mine.yaml --watch

  # Judge what the emulator still has after a stop and a start with its data directory.
  cosi-emu run --suite --data-dir data --restart

  # Keep the objects of a scenario that fails.
  cosi-emu run mine.yaml --keep

  # Record, and replay.
  cosi-emu run mine.yaml --record recordings/
  cosi-emu replay recordings/mine.*.cosirec

  # With your controller and sidecar.
  cosi-emu run --suite --controller-cmd './my-controller --kubeconfig=$(KUBECONFIG)' \
    --sidecar-cmd './my-sidecar --kubeconfig=$(KUBECONFIG) --driver=$(COSI_ENDPOINT)'

  # With your driver, which the emulator starts, and crashes if a scenario requires it.
  cosi-emu run scenarios/ --driver-cmd './my-driver --endpoint=$(COSI_ENDPOINT)'

  # With a driver of COSI v1alpha1 behind a bridge.
  cosi-emu run --suite --dialect one-mode

  # With your driver, or on a cluster without COSI.
  cosi-emu run scenarios/ --driver unix:///tmp/my-driver.sock
  cosi-emu run scenarios/ --existing-cluster --context kind-kind --install`,
		Args: func(cmd *cobra.Command, args []string) error {
			if r.suite {
				return cobra.NoArgs(cmd, args)
			}
			return somePaths(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd, args) },
	}
	r.addFlags(cmd.Flags())
	return cmd
}

// somePaths requires at least one file or directory.
func somePaths(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("'%s' requires a file or a directory with scenarios", cmd.CommandPath())
	}
	return nil
}

func (r *scenarioRun) addFlags(flags *pflag.FlagSet) {
	r.selection.addFlags(flags)
	cli.AddAPI(flags, &r.api, "run only scenarios for this version of the COSI kinds, v1alpha1 or v1alpha2 (default: all, "+
		"and with your own components v1alpha2)")
	flags.BoolVar(&r.suite, "suite", false, "run the scenarios that ship with this program")
	flags.IntVar(&r.parallel, "parallel", 0, "number of scenarios that run at the same time (default: four for each processor)")
	r.parallelGiven = func() bool { return flags.Changed("parallel") }
	flags.DurationVar(&r.timeout, "timeout", defaultRunTimeout, "time limit for all scenarios, without the start of the emulator")
	flags.IntVar(&r.engine.Patience, "patience", 1, "factor for the timeouts of steps, for slow or busy machines")
	flags.BoolVar(&r.keep, "keep", false, "if a scenario fails, keep its objects and the emulator until Ctrl-C")
	flags.BoolVar(&r.watch, "watch", false, "run scenarios again when their files change, until Ctrl-C")
	flags.BoolVar(&r.restart, "restart", false,
		"after the steps of each scenario, stop the emulator, and start it again with --data-dir, before the oracles judge")
	flags.BoolVar(&r.engine.AllowExec, "allow-exec", false, "allow scenarios to run programs on this machine; without it they are skipped")
	flags.BoolVar(&r.engine.NoS3, "no-s3", false, "skip the steps that use S3, because your driver has no S3 service")
	flags.BoolVar(&r.engine.Update, "update", false, "write golden files instead of comparing with them")
	r.reports.addFlags(flags)
	flags.StringVar(&r.record, "record", "",
		"directory for recordings of all scenarios (default: the user's cache, failed scenarios only)")
	flags.StringVar(&r.start.Session.Name, "name", "run-"+strconv.Itoa(os.Getpid()),
		"name of the emulator, which COSI_EMU_NAME does not set (default: a unique one)")
	flags.Lookup("name").DefValue = "" // another one each time
	r.start.AddTimeout(flags, "start-timeout")
	r.start.AddEmulator(flags)
	flags.Lookup("data-dir").Usage += "; emulators of several versions have a directory each in it"
	r.start.Session.Emulator.RPCTimeout = timeout.Call(1)
	limit := flags.Lookup("rpc-timeout")
	limit.Usage, limit.DefValue = "time limit for each call to the driver, less than the limit of a step (10s times --patience)",
		timeout.Call(1).String()
	r.callTimeout = func() bool { return limit.Changed }
}

// limitCalls makes a call to the driver end before the step that waits for it.
func (r *scenarioRun) limitCalls() error {
	limit, step := &r.start.Session.Emulator.RPCTimeout, timeout.Step(r.engine.Patience)
	if !r.callTimeout() {
		*limit = timeout.Call(r.engine.Patience)
	}
	if *limit >= step {
		return cli.Usage(fmt.Errorf("--rpc-timeout %s must be less than the time limit of a step, %s; raise that with --patience", *limit, step))
	}
	return nil
}

// validate rejects wrong flags before any file is read.
func (r *scenarioRun) validate() (err error) {
	switch {
	case r.parallel < 1 && r.parallelGiven():
		return cli.Usage(fmt.Errorf("--parallel %d must be at least 1", r.parallel))
	case r.engine.Patience < 1:
		return cli.Usage(fmt.Errorf("--patience %d must be at least 1", r.engine.Patience))
	case r.timeout <= 0:
		return cli.Usage(fmt.Errorf("--timeout %s must be more than 0", r.timeout))
	case r.parallel == 0:
		const perProcessor = 4 // mostly waiting
		r.parallel = perProcessor * runtime.GOMAXPROCS(0)
	}
	r.engine.Keep = r.keep
	r.destinations, err = r.reports.destinations(r.text)
	return errors.Join(err, r.checkTogether(), r.limitCalls(), r.start.ValidateCluster())
}

// checkTogether rejects flags that exclude each other.
func (r *scenarioRun) checkTogether() error {
	switch {
	case r.suite && (r.watch || r.engine.Update):
		return cli.Usage(errors.New("--suite and --watch or --update exclude each other: the suite is part of the program"))
	case r.restart && (r.watch || r.keep || r.start.Session.DataDir == ""):
		return cli.Usage(errors.New("--restart requires --data-dir, from which the emulator starts again, and excludes --watch and --keep"))
	default:
		return nil
	}
}

func (r *scenarioRun) run(cmd *cobra.Command, paths []string) error {
	r.text.Rerun, r.text.Program = rerun(cmd.Flags()), cli.Program()
	if err := r.validate(); err != nil {
		return err
	}
	set, scenarios, err := r.selection.load(r.streams.Err, r.source(paths))
	if err != nil {
		return err
	}
	var last report.Report
	groups := r.groups(scenarios)
	if err := r.checkGroups(groups); err != nil {
		return err
	}
	dataDir := r.start.Session.DataDir
	for i, group := range groups {
		r.start.Session.DataDir = group.dataDir(dataDir, len(groups) == 1)
		r.start.Session.Emulator.API, r.start.Session.Emulator.Snapshot = group.api, group.snapshot
		r.start.Session.Emulator.Pods, r.start.Session.Emulator.Images = len(group.images) > 0, group.images
		loop := &runLoop{scenarioRun: r, earlier: last.Scenarios, more: i < len(groups)-1}
		if r.restart {
			err = loop.runRestarting(cmd.Context(), group)
		} else {
			err = loop.run(cmd.Context(), paths, set, group)
		}
		if errors.Is(err, emulator.ErrDriverVersion) && len(groups) > 1 {
			err = loop.skip(group.scenarios, err)
		}
		last = loop.report
		if err != nil {
			break
		}
	}
	return r.exit(last, err)
}

// run starts an emulator, runs the scenarios of a group in it, and stops it.
func (r *runLoop) run(ctx context.Context, paths []string, set *loader.Set, group versionGroup) error {
	return r.start.Run(ctx, r.streams, func(running *session.Session) error {
		r.session = running
		return r.supervised(ctx, func(ctx context.Context) error {
			if r.scenarioRun.watch {
				return r.watch(ctx, paths, set, group.scenarios)
			}
			return r.once(ctx, group.scenarios)
		})
	})
}

// exit returns the error that decides about the exit code.
func (r *scenarioRun) exit(last report.Report, err error) error {
	switch {
	case err != nil && !cli.IsUsage(err):
		cli.PrintError(r.streams.Err, err)
		return cli.ExitError(cli.ExitEnvironment)
	case err == nil && last.Outcome == outcome.Passed && !r.watch:
		return r.selection.checkRan(last)
	default:
		return errors.Join(err, exitOf(last))
	}
}

// versionGroup are the scenarios for one version of the COSI kinds, which need an emulator of their
// own.
type versionGroup struct {
	api       objectstorage.Version
	snapshot  string // the file that the emulator starts from, or empty
	images    []emulator.Image
	scenarios []*spec.Scenario
}

// dataDir returns the data directory of the group's emulator: the given one, or if there are other groups,
// one in it.
func (g versionGroup) dataDir(given string, alone bool) string {
	switch {
	case given == "" || alone:
		return given
	case g.snapshot == "" && len(g.images) == 0:
		return filepath.Join(given, string(g.api))
	default:
		return filepath.Join(given, string(g.api)+"-"+g.scenarios[0].Name)
	}
}

// groups returns the scenarios by the version of the COSI kinds. Each scenario with a snapshot or images has
// an emulator of its own. An emulator with a component of the user's own or a bridge, and an
// existing cluster, are for one version: scenarios for others are skipped.
func (r *scenarioRun) groups(scenarios []*spec.Scenario) []versionGroup {
	var own, groups []versionGroup
	if r.start.Restores() {
		own, scenarios = r.ownGroups(scenarios)
		if len(scenarios) == 0 {
			return own
		}
	}
	if r.api != "" || r.start.HasOneVersion() {
		api := cmp.Or(r.api, r.start.ComponentsAPI(), objectstorage.V1alpha2)
		return append([]versionGroup{{api: api, scenarios: scenarios}}, own...)
	}
	for _, version := range slices.Backward(objectstorage.Versions()) {
		g := versionGroup{api: version}
		for _, s := range scenarios {
			if s.API() == version {
				g.scenarios = append(g.scenarios, s)
			}
		}
		if len(g.scenarios) > 0 {
			groups = append(groups, g)
		}
	}
	return append(own, groups...)
}

// checkGroups rejects scenarios that are all for another version of the COSI kinds than the emulator's: none
// of them would run.
func (r *scenarioRun) checkGroups(groups []versionGroup) error {
	if len(groups) > 1 && r.watch {
		return cli.Usage(errors.New("--watch runs the scenarios for one version of the COSI kinds: choose it with --api"))
	}
	for _, g := range groups {
		for _, s := range g.scenarios {
			if s.API() == g.api {
				return nil
			}
		}
	}
	first := groups[0].scenarios[0]
	if r.api != "" {
		return cli.Usage(fmt.Errorf("no scenario would run: %s: scenario %s is for the kinds of %s; leave --api %s out",
			first.Position, first.Name, first.API(), r.api))
	}
	return cli.Usage(fmt.Errorf("no scenario would run: %s: scenario %s is for the kinds of %s, and the emulator serves %s; add --api %s",
		first.Position, first.Name, first.API(), groups[0].api, first.API()))
}

// ownGroups returns a group for each scenario that has an emulator of its own, and the other scenarios.
func (r *scenarioRun) ownGroups(scenarios []*spec.Scenario) (groups []versionGroup, others []*spec.Scenario) {
	for _, s := range scenarios {
		if !s.StartsOwn() || r.api != "" && s.API() != r.api {
			others = append(others, s)
			continue
		}
		groups = append(groups, versionGroup{
			api: s.API(), snapshot: s.SnapshotFile(), images: image.Of(s.Setup.Images), scenarios: []*spec.Scenario{s},
		})
	}
	return groups, others
}

// source returns the function that reads the scenarios.
func (r *scenarioRun) source(paths []string) func() (*loader.Set, error) {
	if r.suite {
		return loader.LoadSuite
	}
	return func() (*loader.Set, error) { return loader.Load(paths) }
}

// exitOf returns the exit code for a report; nil if it is 0.
func exitOf(r report.Report) error {
	switch r.Outcome {
	case outcome.Failed:
		return cli.ExitError(cli.ExitFailure)
	case outcome.Broken:
		return cli.ExitError(cli.ExitEnvironment)
	default:
		return nil
	}
}
