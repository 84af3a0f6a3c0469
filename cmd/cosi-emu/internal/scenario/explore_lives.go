package scenario

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/progress"
	"github.com/cosi-emu/cosi-emu/internal/counted"
	"github.com/cosi-emu/cosi-emu/internal/explore"
)

// lived has the results of generated scenarios.
type lived struct {
	explore.LivesReport

	Reports []*explore.Report `json:"reports,omitempty"`

	failed []error
}

// checkLives rejects flags that generated scenarios do not have.
func (x *exploration) checkLives(cmd *cobra.Command) error {
	if x.lives < 1 {
		return cli.Usage(fmt.Errorf("--lives %d must be at least 1", x.lives))
	}
	for _, name := range []string{
		"suite", "filter", "scenario", "effects", "at", "interference", "pairs", "sample", "shard", "prune", "random", "measure-seams", "state",
	} {
		if cmd.Flags().Changed(name) {
			return cli.Usage(fmt.Errorf("--%s is for scenarios of files, or for faults; --lives generates scenarios without faults", name))
		}
	}
	return nil
}

// exploreLives runs generated scenarios.
func (x *exploration) exploreLives(ctx context.Context, streams cli.Streams) error {
	shown := progress.NewCount(streams.Err)
	x.options.Progress = func(p explore.Progress) { shown.Show(describeProgress(p), p.Done, p.Total) }
	var all lived
	var err error
	all.LivesReport, err = explore.Lives(ctx, x.options, x.lives, func(source explore.Source, report *explore.Report, err error) {
		all.Reports = append(all.Reports, report)
		all.failed = append(all.failed, err)
		if x.output == cli.FormatText {
			all.failed = append(all.failed, printLife(streams, source, report))
		}
	})
	if err = errors.Join(append(all.failed, err, shown.Close())...); all.Lives == 0 && err != nil {
		return x.failure(streams, err)
	}
	if err := errors.Join(err, x.printLives(streams, all), x.saveReports(all.Reports...)); err != nil {
		return x.failure(streams, err)
	}
	if slices.ContainsFunc(all.Reports, (*explore.Report).Failed) {
		return cli.ExitError(cli.ExitFailure)
	}
	return nil
}

func printLife(streams cli.Streams, source explore.Source, report *explore.Report) error {
	_, err := fmt.Fprintf(streams.Out, "\n%s: %s, in %s\n", report.Scenario, counted.Of(len(report.Findings), "finding"), source.File)
	return errors.Join(err, report.WriteFindings(streams.Out))
}

func (x *exploration) printLives(streams cli.Streams, all lived) error {
	if x.output == cli.FormatJSON {
		return cli.PrintJSON(streams, all)
	}
	rate := float64(all.Lives) / all.Duration.Seconds()
	_, err := fmt.Fprintf(streams.Out, "%d of %d lives ran, of the seeds from %d on, in %s: %.1f lives/s; %d with findings\n",
		all.Lives, all.Of, all.First, all.Duration.Round(time.Second/10), rate, len(all.Failed))
	return err
}
