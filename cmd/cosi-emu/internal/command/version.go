package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
)

func newVersion(streams cli.Streams) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Show the versions of cosi-emu, Kubernetes and COSI",
		Example: `  cosi-emu version
  cosi-emu version -o json`,
		RunE: func(*cobra.Command, []string) error {
			if err := cli.CheckOutput(output, cli.FormatText, cli.FormatJSON); err != nil {
				return err
			}
			info := cli.ReadVersions()
			if output == cli.FormatJSON {
				return cli.PrintJSON(streams, info)
			}
			_, err := fmt.Fprintf(streams.Out, "cosi-emu %s (%s, %s)\nKubernetes %s\nCOSI %s\n",
				info.Version, info.Go, info.Platform, info.Kubernetes, info.COSI)
			return err
		},
	}
	cli.AddOutput(cmd.Flags(), &output, cli.FormatText, cli.FormatJSON)
	return cmd
}
