package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/progress"
	"github.com/cosi-emu/cosi-emu/emulator/bench"
	"github.com/cosi-emu/cosi-emu/emulator/bench/figure"
	"github.com/cosi-emu/cosi-emu/emulator/bench/scale"
	"github.com/cosi-emu/cosi-emu/emulator/bench/storage"
)

// benchmark holds the flags of the command.
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
		Long: `Measure speed and memory, compared with what they are made of in the same run. The
suites are:

  starts  how long an emulator takes to start
  claims  how long a claim takes to have its bucket
  memory  how much memory a settled emulator takes, and whether it is silent
  scale   what controller and sidecar cost under load: a thousand claims and
          accesses at once, one more claim among five thousand, a thousand
          accesses of one claim
  s3      how fast the S3 store is, and how much memory it takes, compared with
          gofakes3 alone

Without a suite, the first three are run, which takes two minutes; scale takes
twenty or so, and s3 three. For all but s3, emulators are started, and stopped.

Each figure has a bar. With --check, the exit code is 1 if one is missed.`,
		Example: `  cosi-emu bench
  cosi-emu bench scale --check -o json > bench.json

  # Quickly, to see that it works.
  cosi-emu bench --starts 1 --claims 3 --crowd 5 --window 2s
  cosi-emu bench scale --pairs 20 --many 50 --rounds 1
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
	cmd.Flags().IntVar(&o.Starts, "starts", 5, "how often each kind of start is timed")
	cmd.Flags().IntVar(&o.Claims, "claims", 30, "how many claims are timed, one after another")
	cmd.Flags().IntVar(&o.Crowd, "crowd", 100, "how many claims with accesses there are when memory and silence are measured")
	cmd.Flags().DurationVar(&o.Window, "window", 30*time.Second, "for how long there must be silence")
	load := scale.DefaultLoad
	cmd.Flags().IntVar(&o.Scale.Pairs, "pairs", load.Pairs, "how many claims with accesses, or accesses of one claim, are created at once")
	cmd.Flags().IntVar(&o.Scale.Many, "many", load.Many, "among how many claims a claim should cost as much as among a fiftieth of them")
	cmd.Flags().IntVar(&o.Scale.Rounds, "rounds", load.Rounds, "how often the suite scale times what takes time")
	objects := storage.DefaultLoad
	cmd.Flags().IntVar(&o.S3.Objects, "objects", objects.Objects, "how many objects are listed, and stored to measure memory")
	cmd.Flags().IntVar(&o.S3.Requests, "requests", objects.Requests, "how many small objects are written, and read, in a round")
	cmd.Flags().IntVar(&o.S3.Rounds, "s3-rounds", objects.Rounds, "how often the suite s3 times everything")
	cmd.Flags().StringVar(&o.Binaries.Dir, "control-plane-dir", "", "directory with the programs of the control plane (default: as for 'up')")
	cmd.Flags().BoolVar(&b.check, "check", false, "fail if a bar is missed")
	cmd.Flags().DurationVar(&b.timeout, "timeout", defaultStartTimeout, "limit for everything")
	cli.AddOutput(cmd.Flags(), &b.output, cli.FormatText, cli.FormatJSON)
	return cmd
}

func (b *benchmark) run(ctx context.Context, streams cli.Streams) error {
	silenceLibraries()
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
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
		return fmt.Errorf("over the bar: %s", strings.Join(missed, ", "))
	}
	return nil
}

func (b *benchmark) print(streams cli.Streams, report figure.Report) error {
	if b.output == cli.FormatJSON {
		return cli.PrintJSON(streams, report)
	}
	return report.WriteText(streams.Out)
}
