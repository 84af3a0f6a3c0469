package scenario

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/progress"
	"github.com/cosi-emu/cosi-emu/internal/counted"
	"github.com/cosi-emu/cosi-emu/internal/explore"
	"github.com/cosi-emu/cosi-emu/internal/explore/cause"
	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/scenario/loader"
)

type unexplored struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// explored has the results of several scenarios.
type explored struct {
	Reports    []*explore.Report `json:"reports"`
	Unexplored []unexplored      `json:"unexplored,omitempty"`

	unstarted int // scenarios for which the budget left no time
	failed    []error
}

// several explores all scenarios of files and directories, and lists scenarios that cannot be
// explored at the end.
func (x *exploration) several(ctx context.Context, streams cli.Streams, paths []string) error {
	sources, err := readSources(paths)
	if err != nil {
		return cli.Usage(err)
	}
	if x.options.Sample > 0 && x.options.Budget > 0 {
		explore.Shuffle(sources, x.options.Seed)
	}
	all := &explored{}
	shown := progress.NewCount(streams.Err)
	x.options.Progress = func(p explore.Progress) {
		shown.Show(fmt.Sprintf("%d of %d, %s", all.ended()+1, len(sources), describeProgress(p)), p.Done, p.Total)
	}
	err = explore.All(ctx, x.options, sources, func(source explore.Source, report *explore.Report, err error) {
		if all.take(source, report, err) && x.output == cli.FormatText {
			all.failed = append(all.failed, report.WriteOf(streams.Out))
		}
	})
	err = errors.Join(append(all.failed, err, shown.Close(), x.conclude(streams, all), x.saveReports(all.Reports...))...)
	switch {
	case errors.Is(err, plan.ErrOptions):
		return cli.Usage(err)
	case err != nil:
		cli.PrintError(streams.Err, err)
		return cli.ExitError(cli.ExitEnvironment)
	case slices.ContainsFunc(all.Reports, (*explore.Report).Failed):
		return cli.ExitError(cli.ExitFailure)
	}
	return nil
}

func readSources(paths []string) ([]explore.Source, error) {
	set, err := loader.Load(paths)
	if err != nil {
		return nil, err
	}
	sources := make([]explore.Source, len(set.Files))
	for i, file := range set.Files {
		text, err := os.ReadFile(filepath.Clean(file))
		if err != nil {
			return nil, fmt.Errorf("read the scenario: %w", err)
		}
		sources[i] = explore.Source{File: file, Text: text}
	}
	return sources, nil
}

func (e *explored) take(source explore.Source, report *explore.Report, err error) bool {
	if errors.Is(err, explore.ErrBudget) {
		e.unstarted++
	}
	if report == nil || errors.Is(err, run.ErrUnclean) {
		e.Unexplored = append(e.Unexplored, unexplored{File: source.File, Reason: err.Error()})
		return false
	}
	e.Reports = append(e.Reports, report)
	if err != nil {
		e.failed = append(e.failed, fmt.Errorf("explore %s: %w", source.File, err))
	}
	return true
}

func (e *explored) ended() int { return len(e.Reports) + len(e.Unexplored) }

// findings counts the findings of all scenarios, each once.
func (e *explored) findings() (n int) {
	for _, report := range e.Reports {
		for _, f := range report.Findings {
			if f.Known == nil {
				n++
			}
		}
	}
	return n
}

// writeUntried reports first how much a budget has left out, and how to continue.
func (e *explored) writeUntried(w io.Writer, state string) error {
	cases := 0
	for _, report := range e.Reports {
		for _, u := range report.Untried {
			cases += u.Cases
		}
	}
	if cases+e.unstarted == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "\nnot tried: %s, and all of %s that were not started\n%s\n",
		counted.Of(cases, "fault"), counted.Of(e.unstarted, "scenario"), explore.HowToContinue(state))
	return err
}

// writeFindings lists the findings of all scenarios, a line each, with the number of other scenarios that have it.
func (e *explored) writeFindings(w io.Writer) error {
	var errs []error
	again := explore.Recurring(e.Reports...)
	for _, report := range e.Reports {
		for i, f := range report.Findings {
			if f.Known != nil {
				continue
			}
			name := cause.Reference{Scenario: report.Scenario, Finding: i + 1}
			others := ""
			if n := len(again[name]); n > 0 {
				others = " and of " + counted.Of(n, "more scenario")
			}
			_, err := fmt.Fprintf(w, "\n%s%s: %s: %s\n", name, others, f.Oracle, f.Message)
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (x *exploration) conclude(streams cli.Streams, all *explored) error {
	if x.output == cli.FormatJSON {
		return cli.PrintJSON(streams, all)
	}
	if err := all.writeUntried(streams.Out, x.options.State); err != nil {
		return err
	}
	var sum explore.Report
	for _, report := range all.Reports {
		sum.Points += report.Points
		sum.Applicable += report.Applicable
		sum.Tried += report.Tried
		sum.Pruned += report.Pruned
		sum.Runs += report.Runs
		sum.Duration += report.Duration
	}
	for _, u := range all.Unexplored {
		if _, err := fmt.Fprintf(streams.Out, "\nnot explored: %s: %s\n", u.File, u.Reason); err != nil {
			return err
		}
	}
	if err := all.writeFindings(streams.Out); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(streams.Out); err != nil {
		return err
	}
	if err := explore.WriteReasons(streams.Out, all.Reports...); err != nil {
		return err
	}
	_, err := fmt.Fprintf(streams.Out,
		"%s explored, %d not: %s, %d/%d effects tried, %d pruned; %s, %.1f runs/s; %s\n",
		counted.Of(len(all.Reports), "scenario"), len(all.Unexplored), counted.Of(sum.Points, "point"), sum.Tried, sum.Applicable, sum.Pruned,
		counted.Of(sum.Runs, "run"), sum.Rate(), counted.Of(all.findings(), "finding"))
	return err
}
