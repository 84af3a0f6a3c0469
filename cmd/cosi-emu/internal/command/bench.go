package command

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/progress"
	"github.com/cosi-emu/cosi-emu/internal/emulator/bench"
	"github.com/cosi-emu/cosi-emu/internal/emulator/bench/figure"
	"github.com/cosi-emu/cosi-emu/internal/emulator/bench/scale"
	"github.com/cosi-emu/cosi-emu/internal/emulator/bench/storage"
)

// benchmark has the flags of the command.
type benchmark struct {
	options bench.Options
	check   bool
	timeout time.Duration
	output  string
}

func newBench(streams cli.Streams) *cobra.Command {
	b := &benchmark{}
	o := &b.options
	cmd := &cobra.Command{
		Use:   "bench [SUITE]...",
		Short: "Measure speed and memory",
		Long: `Measure speed and memory, each relative to a baseline of the same run. The suites are:

  starts  time to start an emulator
  claims  time from a claim to its bucket
  memory  size of an idle emulator, and whether it is silent
  control-planes
          the embedded control plane relative to kube-apiserver and etcd: starts, processor
          time of a lifecycle, exploration, all scenarios that ship, and memory
  scale   cost of controller and sidecar under load: a thousand claims and accesses at
          once, one claim among five thousand, a thousand accesses of one claim
  sizes   cost of one claim with an access among more and more of them, the error of a
          linear model, and its figures for a million
  s3      speed and memory of the S3 store, relative to gofakes3; with --peers, requests/s
          under a mixed load, relative to versitygw and MinIO

The default is the first three suites, which take two minutes. control-planes takes about
six minutes, scale twenty, sizes ten, and s3 three. All but s3 start and stop emulators.

With --peers, the go command builds the other servers into the user's cache directory,
once, which takes minutes. --peers-dir selects a directory that has the programs. A server
that is not available is left out, and the report says why; it is an error if all are.

Each figure has a limit. With --check, the exit code is 1 if one is exceeded.`,
		Example: `  cosi-emu bench
  cosi-emu bench scale --check -o json > bench.json
  cosi-emu bench control-planes --check
  cosi-emu bench s3 --peers --peer-duration 1m

  # Small loads, as a smoke test.
  cosi-emu bench --starts 1 --claims 3 --load 5 --window 2s
  cosi-emu bench control-planes --starts 1 --lifecycles 2 --scenario 'lifecycle*' --load 5
  cosi-emu bench scale --pairs 20 --many 50 --rounds 1
  cosi-emu bench sizes --most 100 --control-plane embedded
  cosi-emu bench s3 --objects 1000 --requests 100 --s3-rounds 3`,
		ValidArgs: bench.Suites(),
		Args:      cobra.OnlyValidArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.Suites = args; len(args) == 0 {
				o.Suites = []string{bench.SuiteStarts, bench.SuiteClaims, bench.SuiteMemory}
			}
			if err := cli.CheckOutput(b.output, cli.FormatText, cli.FormatJSON); err != nil {
				return err
			}
			return b.run(cmd.Context(), streams)
		},
	}
	b.addFlags(cmd.Flags())
	return cmd
}

func (b *benchmark) addFlags(flags *pflag.FlagSet) {
	o := &b.options
	flags.IntVar(&o.Starts, "starts", 5, "number of timed starts of each kind")
	flags.IntVar(&o.Claims, "claims", 30, "number of claims that are timed, one after another")
	flags.IntVar(&o.LoadedClaims, "load", 100, "number of claims with accesses when memory and silence are measured")
	flags.IntVar(&o.Lifecycles, "lifecycles", 40,
		"number of base lifecycles, and of runs of an exploration, that the suite control-planes measures in a round")
	flags.StringVar(&o.Scenario, "scenario", "",
		"pattern of the names of the scenarios that the suite control-planes runs (default: all that ship with the program)")
	flags.DurationVar(&o.Window, "window", 30*time.Second, "duration of the required silence")
	load := scale.DefaultLoad
	flags.IntVar(&o.Scale.Pairs, "pairs", load.Pairs,
		"number of claims with accesses, or accesses of one claim, that are created at once")
	flags.IntVar(&o.Scale.Many, "many", load.Many,
		"number of claims among which one more claim is timed; the baseline has a fiftieth of them")
	flags.IntVar(&o.Scale.Rounds, "rounds", load.Rounds, "number of rounds of the suite scale")
	flags.IntVar(&o.Scale.Most, "most", load.Most,
		"number of claims with accesses, of four objects each, up to which the suite sizes measures")
	objects := storage.DefaultLoad
	flags.IntVar(&o.S3.Objects, "objects", objects.Objects, "number of objects that are listed, and stored to measure memory")
	flags.IntVar(&o.S3.Requests, "requests", objects.Requests, "number of small objects that are written and read in a round")
	flags.IntVar(&o.S3.Rounds, "s3-rounds", objects.Rounds, "number of rounds of the suite s3")
	flags.BoolVar(&o.Peers, "peers", false, "compare the S3 store with other S3 servers, instead of gofakes3")
	flags.StringVar(&o.PeersDir, "peers-dir", "", "directory with the programs versitygw and minio (default: they are built)")
	flags.DurationVar(&o.PeerDuration, "peer-duration", 30*time.Second, "duration of the load on each server with --peers")
	cli.AddControlPlane(flags, &o.ControlPlane, &o.Binaries.Dir)
	flags.BoolVar(&b.check, "check", false, "fail if a limit is exceeded")
	flags.DurationVar(&b.timeout, "timeout", defaultStartTimeout, "time limit for all suites")
	cli.AddOutput(flags, &b.output, cli.FormatText, cli.FormatJSON)
}

func (b *benchmark) run(ctx context.Context, streams cli.Streams) error {
	cli.SilenceLibraries()
	self, err := executable()
	if err != nil {
		return err
	}
	reporter := progress.New(streams.Err)
	b.options.Program, b.options.Reporter = self, reporter
	ctx, cancel := context.WithTimeoutCause(ctx, b.timeout, fmt.Errorf("not done after %s, the limit of --timeout", b.timeout))
	defer cancel()
	report, err := bench.Run(ctx, b.options)
	if err = errors.Join(err, reporter.Close()); err != nil {
		if errors.Is(err, bench.ErrOptions) {
			return cli.Usage(err)
		}
		return withCause(ctx, err)
	}
	if err := b.print(streams, report); err != nil {
		return err
	}
	if missed := report.Missed(); b.check && len(missed) > 0 {
		return fmt.Errorf("limit exceeded: %s", strings.Join(missed, ", "))
	}
	return nil
}

func (b *benchmark) print(streams cli.Streams, report figure.Report) error {
	if b.output == cli.FormatJSON {
		return cli.PrintJSON(streams, report)
	}
	return report.WriteText(streams.Out)
}
