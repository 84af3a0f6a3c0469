package scenario

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/startup"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/counted"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/recording"
	"github.com/cosi-emu/cosi-emu/internal/replay"
	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/session"
)

// exitDiverged is the exit code of a replay that differs from its recording.
const exitDiverged = 4

// The ways to replay.
const (
	asScenario = "scenario"
	asDriver   = "driver"
	asJudge    = "judge"
)

type replaying struct {
	start   startup.Flags
	as      string
	timeout time.Duration
	engine  engine.Options
	streams cli.Streams
}

// NewReplay returns the command replay.
func NewReplay(streams cli.Streams) *cobra.Command {
	r := &replaying{streams: streams}
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "Replay a recording",
		Long: `Replay a recording of 'cosi-emu run' in one of three ways:

  scenario  run the recorded scenario again, with the same faults at the same
            operations
  driver    the same, with a driver that returns the recorded responses. Neither the
            driver nor its backend is required. S3 steps are skipped.
  judge     run nothing; the oracles of this version judge the recorded events. This
            also works for recordings of 'cosi-emu up --record'.

The replay compares the operations of each component on each object, bucket and
account with the recording, and shows the first difference.

Exit codes: 4 if the replay differs from the recording. Otherwise as for 'cosi-emu
run': 0 if the scenario passed, 1 if it failed as recorded, 2 if the recording cannot
be read, 3 if the environment failed.`,
		Example: `  # Reproduce a failure.
  cosi-emu replay photos.20261121-120000.000.cosirec

  # In CI, without the vendor's driver.
  cosi-emu replay vendor.cosirec --as driver

  # Judge an old run with today's oracles.
  cosi-emu replay old.cosirec --as judge`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd.Context(), args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&r.as, "as", asScenario, "mode of the replay: scenario, driver or judge")
	flags.DurationVar(&r.timeout, "timeout", defaultRunTimeout, "time limit for the scenario, without the start of the emulator")
	flags.BoolVar(&r.engine.AllowExec, "allow-exec", false, "allow the scenario to run programs on this machine")
	flags.StringVar(&r.start.Session.Name, "name", "replay-"+strconv.Itoa(os.Getpid()),
		"name of the emulator, which COSI_EMU_NAME does not set (default: a unique one)")
	flags.Lookup("name").DefValue = "" // a new name each time
	r.start.AddTimeout(flags, "start-timeout")
	r.start.AddEmulator(flags)
	return cmd
}

func (r *replaying) run(ctx context.Context, file string) error {
	if !slices.Contains([]string{asScenario, asDriver, asJudge}, r.as) {
		return cli.Usage(fmt.Errorf("--as %q is not known; use %s, %s or %s", r.as, asScenario, asDriver, asJudge))
	}
	if r.timeout <= 0 {
		return cli.Usage(fmt.Errorf("--timeout %s must be more than 0", r.timeout))
	}
	recorded, err := recording.ReadFile(file)
	if extension := filepath.Ext(file); err != nil && slices.Contains([]string{".yaml", ".yml"}, extension) {
		return cli.Usage(fmt.Errorf("%s is a scenario, not a recording: run it with 'cosi-emu run %s'; "+
			"a recording is a file of 'cosi-emu run --record', *.cosirec", file, cli.Quote(file)))
	}
	if err != nil {
		return cli.Usage(err)
	}
	r.introduce(recorded)
	if r.as == asJudge {
		return r.judge(recorded)
	}
	again, err := r.prepare(recorded)
	if err != nil {
		return cli.Usage(fmt.Errorf("%s: %w", file, err))
	}
	var found replay.Replay
	err = r.start.Run(ctx, r.streams, func(running *session.Session) error {
		ctx, cancel := context.WithTimeoutCause(ctx, r.timeout, fmt.Errorf("not done after %s, the limit of --timeout", r.timeout))
		defer cancel()
		found, err = again(ctx, recorded, running.Emulator(), r.engine)
		return err
	})
	if err != nil && !cli.IsUsage(err) {
		cli.PrintError(r.streams.Err, err)
		return cli.ExitError(cli.ExitEnvironment)
	}
	if err != nil {
		return err
	}
	return r.conclude(recorded, found)
}

// introduce prints the origin of the recording.
func (r *replaying) introduce(recorded *recording.Recording) {
	what := "an emulator"
	if recorded.Scenario != "" {
		what = "scenario " + recorded.Scenario
	}
	ended := "was cut off"
	if recorded.End != nil {
		ended = recorded.End.Outcome
	}
	_, _ = fmt.Fprintf(r.streams.Err, "Recording of %s, made on %s by cosi-emu %s: %s, %s.\n",
		what, recorded.Started.Local().Format(time.DateTime), recorded.Program, ended, counted.Of(len(recorded.Events), "event"))
}

type way func(context.Context, *recording.Recording, *emulator.Emulator, engine.Options) (replay.Replay, error)

// prepare checks that the recording can be replayed, before anything starts.
func (r *replaying) prepare(recorded *recording.Recording) (way, error) {
	scenario, err := replay.Scenario(recorded)
	if err != nil {
		return nil, fmt.Errorf("%w; --as judge does not require one", err)
	}
	if r.as == asScenario {
		r.start.Session.Emulator.API = scenario.API()
		return replay.AsScenario, nil
	}
	drivers, err := replay.Drivers(recorded)
	if err != nil {
		return nil, err
	}
	r.start.Session.Emulator.Implementations = drivers.Implementations()
	return func(ctx context.Context, _ *recording.Recording, emu *emulator.Emulator, options engine.Options) (replay.Replay, error) {
		return drivers.Replay(ctx, emu, options)
	}, nil
}

func (r *replaying) conclude(recorded *recording.Recording, found replay.Replay) error {
	shown := report.NewScenario(found.Result, nil)
	if len(shown.Failures) > 0 {
		if err := (report.Text{}).Write(r.streams.Out, []report.Scenario{shown}); err != nil {
			return err
		}
	}
	if d := found.Divergence; d != nil {
		_, err := fmt.Fprintf(r.streams.Out, "The replay differs from the recording; its scenario: %s. The first difference, at event %d:\n%s\n",
			shown.Outcome, d.Event.Seq, d)
		return errors.Join(err, cli.ExitError(exitDiverged))
	}
	if shown.Outcome == outcome.Skipped {
		_, err := fmt.Fprintf(r.streams.Out, "The scenario was skipped: %s.\n", shown.Reason)
		return errors.Join(err, cli.ExitError(cli.ExitEnvironment))
	}
	then := ""
	if recorded.End != nil {
		then = ", as recorded"
		if recorded.End.Outcome != string(shown.Outcome) {
			then = ", and was " + recorded.End.Outcome + " when it was recorded"
		}
	}
	_, err := fmt.Fprintf(r.streams.Out, "The replay has %s%s: %s compared, no difference.\n", shown.Outcome, then,
		counted.Of(found.Compared, "operation"))
	if err != nil {
		return err
	}
	return exitOf(report.Report{Outcome: shown.Outcome})
}

// judge prints the oracles' findings.
func (r *replaying) judge(recorded *recording.Recording) error {
	found, err := replay.Judge(recorded)
	if err != nil {
		return cli.Usage(err)
	}
	if len(found) == 0 {
		_, err := fmt.Fprintln(r.streams.Out, "The oracles have nothing against it.")
		return err
	}
	printFindings(r.streams.Out, found)
	return cli.ExitError(cli.ExitFailure)
}

func printFindings(w io.Writer, found []checks.Finding) {
	for _, f := range found {
		_, _ = fmt.Fprintln(w, f)
		if sentence := f.Sentence(); sentence != "" {
			_, _ = fmt.Fprintln(w, "  rule: "+sentence)
		}
	}
}
