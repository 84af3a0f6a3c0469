package command

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
	"github.com/cosi-emu/cosi-emu/scenarios/explore"
)

// exploration holds the flags of the command.
type exploration struct {
	options explore.Options
	kinds   []string
	output  string
}

func newExplore(streams cli.Streams) *cobra.Command {
	x := &exploration{}
	cmd := &cobra.Command{
		Use:   "explore SCENARIO|DIR...",
		Short: "Try every fault at every point of a scenario",
		Long: `Run the scenario of a file once to list every operation of controller, sidecar,
driver and store, and then once for each of them and each effect that it can
suffer: a crash before and after it, a failure, a lost reply, a delay beyond the
deadline, a duplicate, a stale read, a cut watch. Each run is judged by the standing
oracles and by comparison with the clean run.

What is found is grouped, explained, and run again: what does not come again is
reported as seen once. The rest is shrunk to a small scenario, which is run as 'cosi-emu
run' does. The scenario, the recording of that run and its timeline are written to
--out, and the report says so if that run does not show what was found. docs/explore.md
says more.

Runs go on at the same time in worlds of their own, each a control plane with all
components. Of several scenarios, what was tried in one is not tried in another in the
same situation: when Kubernetes and the backend hold the same. With --prune object, it
is enough that the object is the same and the component has done the same before; with
--prune step, that the component has done the same before. With --state, an
exploration that was cut short goes on where it was.

The exit code is 0 if nothing was found, 1 if something was, 2 if the scenario or the
command line is wrong, and 3 if the environment failed.`,
		Example: `  cosi-emu explore lifecycle.yaml --out found/

  # Only some effects, for a minute.
  cosi-emu explore lifecycle.yaml --effects crash-before,crash-after --budget 1m

  # Two faults in a run, and then a thousand runs with faults drawn at random.
  cosi-emu explore lifecycle.yaml --pairs --random 1000 --seed 7 --state lifecycle.state

  # Your own driver, with a backend that takes its time.
  cosi-emu explore lifecycle.yaml --driver unix:///tmp/driver.sock --driver-timeout 10s

  # A hundred faults in each scenario of a suite.
  cosi-emu explore suite/ --sample 100 --state suite.state/

  # Every fault between any two operations that follow each other anywhere in a suite.
  cosi-emu explore suite/ --prune step`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return x.run(cmd.Context(), streams, args) },
	}
	x.addFlags(cmd.Flags())
	return cmd
}

func (x *exploration) addFlags(flags *pflag.FlagSet) {
	o := &x.options
	flags.StringSliceVar(&x.kinds, "effects", nil, fmt.Sprintf("which effects are tried, of %v (default: all)", explore.Kinds()))
	flags.StringVar(&o.At, "at", "", "pattern of the points that are tried, such as 'sidecar rpc *' (default: all)")
	flags.BoolVar(&o.Pairs, "pairs", false, "try two faults in one run, too, but not where a state is reached that was seen already")
	flags.IntVar(&o.Sample, "sample", 0, "try only so many of the single faults, drawn at random (default: all)")
	flags.StringVar((*string)(&o.Prune), "prune", string(explore.PruneWorld),
		fmt.Sprintf("what has to be the same for a fault not to be tried again, of %v", explore.Prunes()))
	flags.IntVar(&o.Random, "random", 0, "how many runs with two or three faults drawn at random follow")
	flags.Uint64Var(&o.Seed, "seed", 1, "where what is random comes from: the same seed draws the same faults")
	flags.DurationVar(&o.Budget, "budget", 0, "for how long runs are begun (default: until all are done)")
	flags.IntVar(&o.Worlds, "parallel", 0, "how many runs go on at the same time (default: three for two processors, 3 to 8)")
	flags.BoolVar(&o.Shrink, "shrink", true, "shrink what is found to small scenarios")
	flags.BoolVar(&o.MeasureSeams, "measure-seams", false, "measure what the seams cost when there is no fault")
	flags.StringVar(&o.State, "state", "", "file that remembers which runs are done, to go on from there; a directory for several scenarios")
	flags.StringVar(&o.Out, "out", ".", "directory for what is found: shrunk scenarios, their recordings and timelines")
	flags.StringVar(&o.Emulator.Driver, "driver", "", "endpoint of your own driver, unix:///path/to/driver.sock, instead of the fake one")
	flags.DurationVar(&o.Emulator.RPCTimeout, "driver-timeout", explore.DefaultCallTimeout, "how long a call of the driver may take")
	flags.StringVar(&o.Emulator.Binaries.Dir, "control-plane-dir", "",
		"directory with the programs of the control plane (default: as for 'up')")
	cli.AddOutput(flags, &x.output, cli.FormatText, cli.FormatJSON)
}

func (x *exploration) run(ctx context.Context, streams cli.Streams, paths []string) error {
	silenceLibraries()
	if err := cli.CheckOutput(x.output, cli.FormatText, cli.FormatJSON); err != nil {
		return err
	}
	x.options.Program = version().Version
	for _, kind := range x.kinds {
		x.options.Kinds = append(x.options.Kinds, explore.Kind(kind))
	}
	if info, err := os.Stat(paths[0]); len(paths) > 1 || err == nil && info.IsDir() {
		return x.several(ctx, streams, paths)
	}
	return x.single(ctx, streams, paths[0])
}

// single explores one scenario.
func (x *exploration) single(ctx context.Context, streams cli.Streams, file string) error {
	text, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		return cli.Usage(fmt.Errorf("read the scenario: %w", err))
	}
	x.options.File, x.options.Text = file, text
	shown := progress.NewCount(streams.Err)
	x.options.Progress = func(p explore.Progress) { shown.Show(describeProgress(p), p.Done, p.Total) }
	report, err := explore.Explore(ctx, x.options)
	if err = errors.Join(err, shown.Close()); report == nil {
		return x.failure(streams, err)
	}
	if err := errors.Join(err, x.print(streams, report)); err != nil {
		return x.failure(streams, err)
	}
	if len(report.Findings) > 0 {
		return cli.ExitError(cli.ExitFailure)
	}
	return nil
}

// failure tells what is the user's mistake from what is the environment's.
func (x *exploration) failure(streams cli.Streams, err error) error {
	if errors.Is(err, explore.ErrOptions) || errors.Is(err, explore.ErrScenario) {
		return cli.Usage(err)
	}
	cli.PrintError(streams.Err, err)
	if errors.Is(err, explore.ErrUnclean) {
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

func describeProgress(p explore.Progress) string {
	if p.Total == 0 {
		return p.Phase
	}
	text := fmt.Sprintf("%s: %d of %d, %.1f a second", p.Phase, p.Done, p.Total, p.Rate)
	if p.Findings > 0 {
		text += fmt.Sprintf(", %d with findings", p.Findings)
	}
	if p.Left > 0 {
		text += fmt.Sprintf(", %s left", p.Left.Round(time.Second))
	}
	return text
}
