package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/emulator/session"
	"github.com/cosi-emu/cosi-emu/scenarios/engine"
	"github.com/cosi-emu/cosi-emu/scenarios/report"
)

// defaultRunTimeout bounds a run that hangs.
const defaultRunTimeout = 30 * time.Minute

// scenarioRun holds what scenarios are run with.
type scenarioRun struct {
	start     start
	selection selection
	parallel  int
	timeout   time.Duration
	keep      bool
	watch     bool
	engine    engine.Options
	reports   reports
	record    string

	streams      cli.Streams
	text         report.Text
	destinations []destination
}

func newRun(streams cli.Streams) *cobra.Command {
	r := &scenarioRun{streams: streams}
	cmd := &cobra.Command{
		Use:   "run FILE|DIRECTORY...",
		Short: "Run scenarios",
		Long: `Start an emulator, run the scenarios in the files, and in all *.yaml and *.yml
files of the directories and below, and stop it. All files are read and checked
before anything is started. docs/scenarios.md says what scenarios look like.

Of a scenario that does not pass, it prints the step and its place, what was
expected and what there was, the last of what the journal has about its objects,
and the commands that run just this scenario again, or replay its recording.

With --existing-cluster the scenarios run on the cluster of the kubeconfig, as
for 'cosi-emu up'. Those that need what is not there are skipped, and it says why.

The exit code is 0 if all scenarios passed or were skipped, 1 if something was not
as expected, 2 if a file or the command line is wrong, and 3 if the environment
failed: the emulator could not be started, or a scenario not be run to its end.`,
		Example: `  # All scenarios of a directory, with reports for people and for CI.
  cosi-emu run scenarios/ --report html=report.html --junit junit.xml

  # Some of them: by their labels, or by name.
  cosi-emu run scenarios/ --filter 'area=deletion,speed!=slow'
  cosi-emu run scenarios/ --scenario 'delete-*'

  # While you write one.
  cosi-emu run mine.yaml --watch

  # What has failed stays there to be looked at.
  cosi-emu run mine.yaml --keep

  # What goes on record can be run again.
  cosi-emu run mine.yaml --record recordings/
  cosi-emu replay recordings/mine.*.cosirec

  # Against your own driver, or on a cluster that has no COSI yet.
  cosi-emu run scenarios/ --driver unix:///tmp/my-driver.sock
  cosi-emu run scenarios/ --existing-cluster --context kind-kind --install`,
		Args: somePaths,
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd, args) },
	}
	r.addFlags(cmd.Flags())
	return cmd
}

// somePaths wants at least one file or directory.
func somePaths(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("'%s' needs a file or a directory with scenarios", cmd.CommandPath())
	}
	return nil
}

func (r *scenarioRun) addFlags(flags *pflag.FlagSet) {
	r.selection.addFlags(flags)
	flags.IntVar(&r.parallel, "parallel", 0, "how many scenarios run at the same time (default: four for each processor)")
	flags.DurationVar(&r.timeout, "timeout", defaultRunTimeout, "limit for all scenarios, without the start of the emulator")
	flags.IntVar(&r.engine.Patience, "patience", 1, "what the timeouts of steps are multiplied by, for machines that are slow or busy")
	flags.BoolVar(&r.keep, "keep", false, "if a scenario fails, leave its objects and the emulator until Ctrl-C")
	flags.BoolVar(&r.watch, "watch", false, "run scenarios again when their files change, until Ctrl-C")
	flags.BoolVar(&r.engine.AllowExec, "allow-exec", false, "let scenarios run programs on this machine; otherwise those that do are skipped")
	flags.BoolVar(&r.engine.Update, "update", false, "write golden files anew instead of comparing with them")
	r.reports.addFlags(flags)
	flags.StringVar(&r.record, "record", "",
		"directory for a recording of every scenario, for 'cosi-emu replay' (default: only of those that do not pass, in the user's cache)")
	flags.StringVar(&r.start.session.Name, "name", "run-"+strconv.Itoa(os.Getpid()), "name of the emulator (default: one of its own)")
	flags.Lookup("name").DefValue = "" // another one each time
	r.start.addTimeout(flags, "start-timeout")
	r.start.addEmulator(flags)
}

// validate finds what is wrong with the flags before anything is read.
func (r *scenarioRun) validate() (err error) {
	switch {
	case r.parallel < 0:
		return cli.Usage(fmt.Errorf("--parallel %d must be at least 1", r.parallel))
	case r.engine.Patience < 1:
		return cli.Usage(fmt.Errorf("--patience %d must be at least 1", r.engine.Patience))
	case r.timeout <= 0:
		return cli.Usage(fmt.Errorf("--timeout %s must be more than 0", r.timeout))
	case r.parallel == 0:
		const perProcessor = 4 // they wait most of the time
		r.parallel = perProcessor * runtime.GOMAXPROCS(0)
	}
	r.engine.Keep = r.keep
	r.destinations, err = r.reports.destinations(r.text)
	return errors.Join(err, r.start.existing.validate(r.start.session))
}

func (r *scenarioRun) run(cmd *cobra.Command, paths []string) error {
	r.text.Rerun = rerun(cmd.Flags())
	if err := r.validate(); err != nil {
		return err
	}
	set, scenarios, err := r.selection.load(r.streams.Err, paths)
	if err != nil {
		return err
	}
	var last report.Report
	err = r.start.run(cmd.Context(), r.streams, func(running *session.Session) error {
		round := &round{scenarioRun: r, session: running}
		defer func() { last = round.report }()
		return round.supervised(cmd.Context(), func(ctx context.Context) error {
			if r.watch {
				return round.watch(ctx, paths, set, scenarios)
			}
			return round.once(ctx, scenarios)
		})
	})
	if err != nil && !cli.IsUsage(err) {
		cli.PrintError(r.streams.Err, err)
		return cli.ExitError(cli.ExitEnvironment)
	}
	return errors.Join(err, exitOf(last))
}

// exitOf returns the exit code for a report; nil if it is 0.
func exitOf(r report.Report) error {
	switch r.Outcome {
	case engine.Failed:
		return cli.ExitError(cli.ExitFailure)
	case engine.Broken:
		return cli.ExitError(cli.ExitEnvironment)
	default:
		return nil
	}
}
