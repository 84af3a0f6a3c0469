package conformance

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/conformance"
)

func newList(streams cli.Streams) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List all conformance checks",
		Long: `List all conformance checks: ID, level, profile, and the behaviour of a correct driver.
The JSON also has the sentence of the specification that requires it, and the classes of
known failures that the check catches. docs/conformance.md has the same.`,
		Example: `  cosi-emu conformance list
  cosi-emu conformance list -o json`,
		RunE: func(*cobra.Command, []string) error {
			if err := cli.CheckOutput(output, cli.FormatText, cli.FormatJSON); err != nil {
				return err
			}
			if output == cli.FormatJSON {
				return cli.PrintJSON(streams, conformance.Checks())
			}
			for _, c := range conformance.Checks() {
				if _, err := fmt.Fprintf(streams.Out, "%-6s %-6s %-16s %s\n", c.ID, c.Level, c.Profile, c.Title); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cli.AddOutput(cmd.Flags(), &output, cli.FormatText, cli.FormatJSON)
	return cmd
}
