package migrate

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/internal/migrate"
)

type applyFlags struct {
	cli.ClusterFlags

	files  []string
	output string
	dryRun bool
}

func newApply(streams cli.Streams) *cobra.Command {
	flags := &applyFlags{}
	cmd := &cobra.Command{
		Use:   "apply",
		Short: "Create translated objects in a cluster that has COSI v1alpha2",
		Long: `Create the objects that 'cosi-emu migrate' has printed, in a cluster that serves the
kinds of v1alpha2, and not the kinds of v1alpha1.

First the objects that exist already are compared, and the API server checks all
others, as 'kubectl create --dry-run=server' does. Only if no object differs and all
are valid, the missing ones are created: classes, Buckets, BucketClaims,
BucketAccesses. Nothing is changed or deleted, so the command can be run again.

The exit code is 1 if an object differs, and then nothing is created.`,
		Example: `  cosi-emu migrate apply --context production -f v1alpha2.yaml --dry-run
  cosi-emu migrate apply --context production -f v1alpha2.yaml

  # From one cluster to another.
  cosi-emu migrate --context old | cosi-emu migrate apply --context new -f -`,
		RunE: func(cmd *cobra.Command, _ []string) error { return flags.run(cmd.Context(), streams) },
	}
	f := cmd.Flags()
	flags.ClusterFlags.AddFlags(f)
	f.StringArrayVarP(&flags.files, "filename", "f", nil, "file with the objects, - for standard input; can be repeated (required)")
	f.BoolVar(&flags.dryRun, "dry-run", false, "only compare and check; create nothing")
	cli.AddOutput(f, &flags.output, cli.FormatText, cli.FormatJSON)
	return cmd
}

func (f *applyFlags) run(ctx context.Context, streams cli.Streams) error {
	if err := cli.CheckOutput(f.output, cli.FormatText, cli.FormatJSON); err != nil {
		return err
	}
	if len(f.files) == 0 {
		return cli.Usage(errors.New("--filename is required: the file that 'cosi-emu migrate' has printed, or - for standard input"))
	}
	objects, err := read(streams, f.files)
	if err != nil {
		return err
	}
	to, err := f.Open(ctx)
	if err != nil {
		return err
	}
	defer to.Close()
	report, applyErr := migrate.Apply(ctx, to.Config(), objects, f.dryRun)
	if report != nil {
		if err := f.print(streams, report); err != nil {
			return errors.Join(applyErr, err)
		}
	}
	switch {
	case applyErr != nil:
		return inputError(applyErr)
	case len(report.Different) > 0:
		return cli.ExitError(cli.ExitFailure)
	default:
		return nil
	}
}

func (f *applyFlags) print(streams cli.Streams, report *migrate.Report) error {
	if f.output == cli.FormatJSON {
		return cli.PrintJSON(streams, report)
	}
	return printReport(streams.Out, report)
}

func printReport(w io.Writer, report *migrate.Report) error {
	var errs []error
	line := func(format string, args ...any) {
		_, err := fmt.Fprintf(w, format+"\n", args...)
		errs = append(errs, err)
	}
	for _, object := range report.Skipped {
		line("unchanged  %s", object)
	}
	for _, object := range report.Created {
		if report.DryRun {
			line("missing    %s", object)
		} else {
			line("created    %s", object)
		}
	}
	for _, different := range report.Different {
		line("different  %s", different.Object)
		for _, field := range different.Fields {
			line("             %s", field)
		}
	}
	if len(report.Different) > 0 {
		line("Nothing was created. Delete or edit the objects that differ, or edit the file, and run the command again.")
	}
	return errors.Join(errs...)
}
