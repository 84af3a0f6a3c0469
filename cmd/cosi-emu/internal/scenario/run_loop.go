package scenario

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/progress"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/recording/recorder"
	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/scenario/engine"
	"github.com/cosi-emu/cosi-emu/internal/scenario/loader"
	"github.com/cosi-emu/cosi-emu/internal/scenario/outcome"
	"github.com/cosi-emu/cosi-emu/internal/scenario/runner"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec/document"
	"github.com/cosi-emu/cosi-emu/internal/session"
)

// runLoop runs scenarios in a running emulator, once or on every change.
type runLoop struct {
	*scenarioRun

	session *session.Session
	report  report.Report // the last
	// earlier are the scenarios of previous emulators; more means that another one follows, which
	// reports.
	earlier []report.Scenario
	more    bool
}

// supervised calls during with a context that ends when the emulator fails, and returns that
// failure.
func (r *runLoop) supervised(ctx context.Context, during func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var failed error
	var watcher sync.WaitGroup
	watcher.Go(func() {
		if failed = r.session.Wait(ctx); failed != nil {
			cancel(failed)
		}
	})
	err := during(ctx)
	cancel(nil)
	watcher.Wait()
	return errors.Join(failed, err)
}

// once runs scenarios. With --keep it waits for Ctrl-C after a failure.
func (r *runLoop) once(ctx context.Context, scenarios []*spec.Scenario) error {
	err := r.runAndReport(ctx, scenarios)
	if err != nil || !r.keep || r.report.Outcome == outcome.Passed || ctx.Err() != nil {
		return err
	}
	r.printKept()
	<-ctx.Done()
	return nil
}

func (r *runLoop) runAndReport(ctx context.Context, scenarios []*spec.Scenario) error {
	ctx, cancel := r.limited(ctx)
	defer cancel()
	shown := progress.NewScenarios(r.streams.Err, len(scenarios))
	options := r.engine
	emu := r.session.Emulator()
	recorder, err := r.recorder(emu)
	if err != nil {
		return errors.Join(err, shown.Close())
	}
	options.Observer = outcome.Observers{shown, recorder}
	run := runner.Runner{
		Engine: engine.New(emu, options), Journal: emu.Journal(), Parallel: r.parallel, Version: cli.ReadVersions().Version,
	}
	done := run.Run(ctx, scenarios)
	for i := range done.Scenarios {
		done.Scenarios[i].Recording = recorder.Path(done.Scenarios[i].Name)
	}
	return errors.Join(shown.Close(), r.conclude(done), recorder.Err())
}

// limited returns a context that ends with the limit for all scenarios.
func (r *runLoop) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, r.timeout, fmt.Errorf("not done after %s, the limit of --timeout", r.timeout))
}

// conclude adds the earlier scenarios to a report, and prints and saves it, unless more follow.
func (r *runLoop) conclude(done report.Report) error {
	r.report = done
	if len(r.earlier) > 0 {
		all := slices.Concat(r.earlier, done.Scenarios)
		r.report = report.New(done.Version, all[0].Started, time.Since(all[0].Started), all)
	}
	if r.more {
		return nil
	}
	return errors.Join(r.print(), r.save())
}

func (r *runLoop) skip(scenarios []*spec.Scenario, reason error) error {
	now := time.Now()
	skipped := make([]report.Scenario, len(scenarios))
	for i, s := range scenarios {
		skipped[i] = report.NewScenario(outcome.Result{Scenario: s, Outcome: outcome.Skipped, Reason: reason.Error(), Started: now}, nil)
	}
	return r.conclude(report.New(cli.ReadVersions().Version, now, 0, skipped))
}

// keptRecordings is how many recordings of failed scenarios the cache keeps.
const keptRecordings = 100

// recorder records all scenarios with --record, and otherwise those that fail.
func (r *runLoop) recorder(emu *emulator.Emulator) (*recorder.Recorder, error) {
	options := recorder.Options{Dir: r.record, All: r.record != "", Program: cli.ReadVersions().Version}
	if options.Dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("find the user's cache directory for recordings: %w; use --record", err)
		}
		options.Dir, options.Newest = filepath.Join(cache, "cosi-emu", "recordings"), keptRecordings
	}
	return recorder.New(emu, options), nil
}

func (r *runLoop) print() error {
	if _, err := fmt.Fprintln(r.streams.Out); err != nil {
		return err
	}
	return errors.Join(r.text.Write(r.streams.Out, r.report.Scenarios), r.report.WriteTable(r.streams.Out))
}

func (r *runLoop) save() error {
	for _, d := range r.destinations {
		if err := d.save(r.report); err != nil {
			return err
		}
	}
	return r.reports.appendSummary(r.report)
}

// watch runs scenarios, and runs them again when their files change, until Ctrl-C.
func (r *runLoop) watch(ctx context.Context, paths []string, set *loader.Set, scenarios []*spec.Scenario) error {
	filter, err := r.selection.filter()
	if err != nil {
		return err
	}
	files, err := loader.NewWatch(paths, set)
	if err != nil {
		return err
	}
	defer func() { _ = files.Close() }() // no data is lost
	for {
		if len(scenarios) > 0 {
			if err := r.runAndReport(ctx, scenarios); err != nil {
				return err
			}
			if r.keep && r.report.Outcome != outcome.Passed {
				r.printKept()
			}
		}
		if ctx.Err() == nil {
			_, _ = fmt.Fprintf(r.streams.Err, "\nWaiting for changes. Press Ctrl-C to stop.\n") // output has no reader
		}
		changed, err := files.Changed(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			r.printUnreadable(err)
			scenarios = nil
		default:
			scenarios, _ = filter.Select(changed) // an empty selection is no error here
		}
	}
}

// printUnreadable prints the problems of changed files.
func (r *runLoop) printUnreadable(err error) {
	if problems := document.Problems(err); len(problems) > 0 {
		printProblems(r.streams.Err, problems)
		return
	}
	cli.PrintError(r.streams.Err, err)
}

// printKept prints the commands that show the objects of failed scenarios.
func (r *runLoop) printKept() {
	info := r.session.Info()
	var text strings.Builder
	text.WriteString("\nThe objects of the failed scenarios are kept, and the emulator runs until Ctrl-C:\n\n")
	for _, s := range r.report.Scenarios {
		if len(s.Failures) > 0 && s.Namespace != "" {
			fmt.Fprintf(&text, "  kubectl --kubeconfig %s -n %s get bucketclaims,bucketaccesses -o yaml\n",
				cli.Quote(info.Kubeconfig), s.Namespace)
		}
	}
	fmt.Fprintf(&text, "  %s logs --name %s\n", cli.Program(), info.Name)
	_, _ = fmt.Fprint(r.streams.Out, text.String()) // output has no reader
}

// notRepeated are flags that the command to repeat a scenario leaves out.
var notRepeated = map[string]bool{
	"filter": true, "scenario": true, "junit": true, "report": true, "parallel": true, "name": true, "watch": true, "timeout": true,
	"update": true, "record": true,
}

// rerun returns a function for the command that repeats a scenario.
func rerun(flags *pflag.FlagSet) func(report.Scenario) string {
	var given []string
	flags.Visit(func(flag *pflag.Flag) {
		if notRepeated[flag.Name] {
			return
		}
		given = append(given, cli.Repeated(flag)...)
	})
	return func(s report.Scenario) string {
		command := []string{cli.Program(), "run"}
		if suite, _ := flags.GetBool("suite"); !suite { // --suite is already included
			command = append(command, cli.Quote(s.Position.File))
		}
		command = append(command, "--scenario", s.Name)
		return strings.Join(append(command, given...), " ")
	}
}
