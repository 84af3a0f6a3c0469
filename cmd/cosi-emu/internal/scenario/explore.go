package scenario

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/progress"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/startup"
	"github.com/cosi-emu/cosi-emu/internal/explore"
	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/explore/shard"
	"github.com/cosi-emu/cosi-emu/internal/explore/source"
	"github.com/cosi-emu/cosi-emu/internal/report"
)

type exploration struct {
	options explore.Options
	own     startup.OwnComponents
	driver  cli.V1alpha1Driver
	kinds   []string
	shard   string
	output  string
	suite   bool
	lives   int
	// selection are scenarios of the suite.
	selection selection
	reports   reports
	started   time.Time

	destinations []destination
}

// exploreHelp is the description in the help of 'cosi-emu explore'.
const exploreHelp = `Run a scenario once without faults, to list every operation of controller, sidecar,
driver and store. Then run it once for each operation and each effect: a crash before
or after it, an error, a lost reply, a delay beyond the deadline, a duplicate, a stale
read, a cut watch. The standing oracles judge each run, and its end state must equal
the end state of the run without faults.

With --interference, the effects are what people and other programs do to objects: at
every operation, every object that exists is deleted, created again or edited, and the
classes and the namespace are deleted. Then everything is deleted, which must succeed
without removing finalizers. Objects without interference must not change.

Findings of the same bug are one group. Each shows the action of a component, or the answer
of the driver, that a run without faults does not have. Another run confirms a finding.
One that does not occur again is reported as seen once; it does not fail the exploration
if other work took half of the time of each run that had it. Each other finding is shrunk
to a small scenario. --out gets that scenario, a recording of its run and its timeline;
--report html=FILE gets the timelines of all findings.

Runs happen at the same time, each worker with a control plane and components of its
own. --prune selects which operations count as equivalent: with 'state', those with
equal state of Kubernetes and the backend; with 'object', those with equal state of the
object and equal previous operation of the component; with 'step', those with equal
previous operation. --state lets an interrupted exploration continue. A state in an S3
bucket needs the credentials of a BucketAccess in the environment, as 'cosi-emu env'
prints them.

With --lives, the command generates scenarios and runs them without faults. Each creates,
uses and deletes several claims and accesses in a random legal order, while components
restart. A seed always gives the same scenario.

` + startup.OwnComponentsHelp + `

docs/explore.md has the details. Exit codes: 0 without findings, 1 with findings, 2 if
a scenario or the command line is wrong, 3 if the environment failed.`

const exploreExamples = `  # A scenario to start from.
  cosi-emu init explore lifecycle.yaml
  cosi-emu explore lifecycle.yaml --out found/ --report html=found/all.html

  # Only some effects, for a minute.
  cosi-emu explore lifecycle.yaml --effects crash-before,crash-after --budget 1m

  # Pairs of faults, and then a thousand runs with random faults.
  cosi-emu explore lifecycle.yaml --pairs --random 1000 --seed 7 --state lifecycle.state

  # Your driver, with a slow backend.
  cosi-emu explore lifecycle.yaml --driver unix:///tmp/driver.sock --driver-timeout 10s

  # The bridge to COSI v1alpha1, with the fake driver.
  cosi-emu explore lifecycle.yaml --dialect one-mode --at 'bridge *'

  # Your driver as a command: each worker runs one, and crashes are tried at its calls.
  cosi-emu explore lifecycle.yaml --at 'driver rpc *' \
    --driver-cmd './driver --state=$(STATE_DIR)/state.json'

  # People who delete and edit objects at every operation.
  cosi-emu explore lifecycle.yaml --interference --prune object

  # Your own sidecar, with the short delays between retries of exploration.
  cosi-emu explore lifecycle.yaml --sidecar-cmd './my-sidecar --kubeconfig=$(KUBECONFIG)
    --driver=$(COSI_ENDPOINT) --rpc-timeout=$(RPC_TIMEOUT) --max-delay=$(RETRY_MAX_DELAY)'

  # A thousand generated scenarios, and one of them again.
  cosi-emu explore --lives 1000 --seed 7
  cosi-emu explore --lives 1 --seed 4711

  # Scenarios that ship with the program: one of them, or some faults in each.
  cosi-emu explore --suite --scenario claim-first
  cosi-emu explore --suite --sample 10 --state suite.state/

  # A hundred faults in each scenario of a directory.
  cosi-emu explore suite/ --sample 100 --state suite.state/

  # A quarter on each of four machines, and then the findings of all.
  cosi-emu explore lifecycle.yaml --shard 2/4 --state 2.state --shrink=false
  cosi-emu explore merge *.state --state all.state
  cosi-emu explore lifecycle.yaml --state all.state

  # Every fault at each distinct pair of consecutive operations in a suite.
  cosi-emu explore suite/ --prune step`

// NewExplore returns the command explore.
func NewExplore(streams cli.Streams) *cobra.Command {
	x := &exploration{reports: reports{title: "COSI exploration: findings"}}
	cmd := &cobra.Command{
		Use:     "explore SCENARIO|DIR... | --suite | --lives N",
		Short:   "Run a scenario with every fault at every operation",
		Long:    exploreHelp,
		Example: exploreExamples,
		Args: func(cmd *cobra.Command, args []string) error {
			if x.suite || cmd.Flags().Changed("lives") {
				return cobra.NoArgs(cmd, args)
			}
			return somePaths(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			lives := cmd.Flags().Changed("lives")
			if lives {
				if err := x.checkLives(cmd); err != nil {
					return err
				}
			} else if cmd.Flags().Changed("api") {
				return cli.Usage(errors.New("--api is the version of --lives; the scenarios of files have their own"))
			}
			if !x.suite && (cmd.Flags().Changed("filter") || cmd.Flags().Changed("scenario")) {
				return cli.Usage(errors.New("--filter and --scenario select scenarios of --suite; name the files to explore"))
			}
			if cmd.Flags().Changed("parallel") && x.options.Sandboxes < 1 {
				return cli.Usage(fmt.Errorf("--parallel %d must be at least 1", x.options.Sandboxes))
			}
			return x.run(cmd.Context(), streams, args)
		},
	}
	x.addFlags(cmd.Flags())
	cmd.AddCommand(newExploreMerge(streams))
	return cmd
}

func (x *exploration) addFlags(flags *pflag.FlagSet) {
	o := &x.options
	flags.BoolVar(&x.suite, "suite", false, "explore the scenarios that ship with this program")
	x.selection.addFlags(flags)
	flags.IntVar(&x.lives, "lives", 0, "number of generated scenarios, of the seeds from --seed on, to run without faults")
	cli.AddAPI(flags, &o.Emulator.API, "version of the kinds of --lives, v1alpha1 or v1alpha2 (default v1alpha2)")
	flags.StringSliceVar(&x.kinds, "effects", nil, fmt.Sprintf(
		"effects to try, of %v (default: all of these), %s, %s, %s, or %s, alone or with %s",
		plan.Kinds(), plan.TimeTravel, plan.RestartAPIServer, plan.RestartEtcd, plan.LoseLease, plan.Lag))
	cli.Values(flags, "effects", plan.AllKinds()...)
	flags.StringVar(&o.At, "at", "", "pattern of the operations to try, such as 'sidecar rpc *' (default: all)")
	flags.BoolVar(&o.Interference, "interference", false,
		"try what people and other programs do to objects, such as deletions and edits, instead of faults")
	flags.BoolVar(&o.Pairs, "pairs", false,
		"also try two faults in one run, or with --interference one and a fault, except in states that occurred before")
	flags.IntVar(&o.Sample, "sample", 0, "number of single faults to try, selected at random (default: all)")
	flags.StringVar(&x.shard, "shard", "",
		"part of the cases to run, such as 2/4, or index/4 in a Pod of an Indexed Job; the parts of n machines are all cases (default: all)")
	flags.StringVar((*string)(&o.Prune), "prune", string(plan.PruneState),
		fmt.Sprintf("which operations count as equivalent, of %v", plan.Prunes()))
	cli.Values(flags, "prune", plan.Prunes()...)
	flags.IntVar(&o.Random, "random", 0, "number of additional runs with two or three random faults")
	flags.Uint64Var(&o.Seed, "seed", 1, "seed of random choices, also of the order of scenarios with --sample and --budget")
	flags.DurationVar(&o.Budget, "budget", 0, "time limit for starting runs (default: none)")
	flags.IntVar(&o.Sandboxes, "parallel", 0,
		"number of runs at the same time (default: four for a processor with the embedded control plane, otherwise three for two processors)")
	flags.BoolVar(&o.Shrink, "shrink", true, "shrink findings to small scenarios")
	flags.BoolVar(&o.MeasureSeams, "measure-seams", false, "measure the overhead of the seams without faults")
	flags.StringVar(&o.State, "state", "",
		"file with the completed runs, to continue from, or s3://BUCKET/KEY; a directory for several scenarios")
	flags.StringVar(&o.Out, "out", ".", "directory for findings: shrunk scenarios, recordings and timelines")
	flags.StringVar(&o.Emulator.Driver, "driver", "",
		"endpoint of your driver, unix:///path/to/driver.sock, instead of the fake driver; with --driver-cmd, where it listens")
	cli.AddDialect(flags, &o.Emulator.Dialect, cli.DriverDialectUsage, "your driver is asked")
	cli.AddDriverIDs(flags, &o.Emulator.DriverIDs)
	x.driver.AddFlags(flags)
	flags.DurationVar(&o.Emulator.RPCTimeout, "driver-timeout", plan.DefaultCallTimeout, "time limit for each call to the driver")
	flags.StringVar(&o.Emulator.DataDir, "data-dir", "",
		"directory in which each worker keeps its objects, buckets and accounts, "+
			"and reads them after a restart of the control plane (default: in memory)")
	cli.AddControlPlane(flags, &o.Emulator.ControlPlaneKind, &o.Emulator.ControlPlaneDir)
	x.own.AddFlags(flags)
	x.reports.addReportFlag(flags)
	cli.AddOutput(flags, &x.output, cli.FormatText, cli.FormatJSON)
}

func (x *exploration) run(ctx context.Context, streams cli.Streams, paths []string) error {
	cli.SilenceLibraries()
	if err := cli.CheckOutput(x.output, cli.FormatText, cli.FormatJSON); err != nil {
		return err
	}
	if err := errors.Join(x.own.Apply(&x.options.Emulator), startup.DescribeDriver(&x.driver, &x.options.Emulator)); err != nil {
		return err
	}
	var err error
	if x.options.Shard, err = shard.ParseIndexed(x.shard, os.Getenv); err != nil {
		return cli.Usage(err)
	}
	x.reports.made = x.options.Out
	if x.destinations, err = x.reports.destinations(report.Text{Program: cli.Program()}); err != nil {
		return err
	}
	x.started = time.Now()
	x.options.Version, x.options.Program = cli.ReadVersions().Version, cli.Program()
	for _, kind := range x.kinds {
		x.options.Kinds = append(x.options.Kinds, plan.Kind(kind))
	}
	switch {
	case x.lives > 0:
		return x.exploreLives(ctx, streams)
	case x.suite:
		return x.exploreSuite(ctx, streams)
	}
	if info, err := os.Stat(paths[0]); len(paths) > 1 || err == nil && info.IsDir() {
		return x.several(ctx, streams, paths)
	}
	return x.single(ctx, streams, paths[0])
}

func (x *exploration) single(ctx context.Context, streams cli.Streams, file string) error {
	text, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		return cli.Usage(fmt.Errorf("read the scenario: %w", err))
	}
	x.options.File, x.options.Text = file, text
	shown := progress.NewCount(streams.Err)
	x.options.Progress = func(p explore.Progress) { shown.Show(describeProgress(p), p.Done, p.Total) }
	report, err := explore.Explore(ctx, x.options)
	if err = errors.Join(err, shown.Close()); report == nil || errors.Is(err, run.ErrUnclean) || err != nil && report.Runs == 0 {
		return x.failure(streams, err)
	}
	if err := errors.Join(err, x.print(streams, report), x.saveReports(report)); err != nil {
		return x.failure(streams, err)
	}
	switch {
	case report.Failed():
		return cli.ExitError(cli.ExitFailure)
	case report.Nothing():
		return x.failure(streams, explore.ErrNothing)
	}
	return nil
}

// failure separates errors of the user from errors of the environment.
func (x *exploration) failure(streams cli.Streams, err error) error {
	if errors.Is(err, plan.ErrOptions) || errors.Is(err, source.ErrScenario) {
		return cli.Usage(err)
	}
	cli.PrintError(streams.Err, err)
	if errors.Is(err, run.ErrUnclean) {
		return cli.ExitError(cli.ExitFailure)
	}
	return cli.ExitError(cli.ExitEnvironment)
}

func (x *exploration) print(streams cli.Streams, report *explore.Report) error {
	if x.output == cli.FormatJSON {
		return cli.PrintJSON(streams, report)
	}
	return report.WriteText(streams.Out)
}

func (x *exploration) saveReports(explorations ...*explore.Report) error {
	shown := explore.Timelines(x.options.Version, x.started, explorations...)
	var errs []error
	for _, d := range x.destinations {
		errs = append(errs, d.save(shown))
	}
	return errors.Join(append(errs, x.reports.appendSummary(shown))...)
}

func describeProgress(p explore.Progress) string {
	if p.Total == 0 {
		return p.Phase
	}
	text := fmt.Sprintf("%s: %d/%d, %.1f runs/s", p.Phase, p.Done, p.Total, p.Rate)
	if p.Findings > 0 {
		text += fmt.Sprintf(", %d with findings", p.Findings)
	}
	if p.Left > 0 {
		text += fmt.Sprintf(", %s left", p.Left.Round(time.Second))
	}
	return text
}
