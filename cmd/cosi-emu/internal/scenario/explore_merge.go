package scenario

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/internal/explore"
)

func newExploreMerge(streams cli.Streams) *cobra.Command {
	out, output := "", ""
	cmd := &cobra.Command{
		Use:   "merge STATE|DIR...",
		Short: "Join the shards of an exploration",
		Long: `Join the states that 'cosi-emu explore --shard' has written on several machines, and
report the findings of all. The states are of one scenario: files, directories with files
*.state, s3://BUCKET/KEY, or s3://BUCKET/PREFIX/ for all below the prefix. Nothing is run.

'cosi-emu explore SCENARIO --state FILE' with the joined state confirms and shrinks the
findings, and runs what no shard has run.

Exit codes: 0 without findings, 1 with findings, 2 if a state is wrong.`,
		Example: `  cosi-emu explore merge shard-*.state --state all.state

  # From the bucket of an Indexed Job, with the credentials of a BucketAccess.
  cosi-emu explore merge s3://$BUCKET_NAME/explore/ --state all.state`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cli.CheckOutput(output, cli.FormatText, cli.FormatJSON); err != nil {
				return err
			}
			if out == "" {
				return cli.Usage(errors.New("--state is required: the file for the joined state"))
			}
			report, err := explore.Merge(cmd.Context(), out, args...)
			if err != nil {
				return cli.Usage(err)
			}
			if output == cli.FormatJSON {
				err = cli.PrintJSON(streams, report)
			} else {
				err = report.WriteText(streams.Out)
			}
			if err == nil && report.Failed() {
				return cli.ExitError(cli.ExitFailure)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&out, "state", "", "new file for the joined state")
	cli.AddOutput(cmd.Flags(), &output, cli.FormatText, cli.FormatJSON)
	return cmd
}
