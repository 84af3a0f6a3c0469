package scenario

import (
	"github.com/spf13/cobra"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/internal/scenario/schema"
)

// NewSchema returns the command schema.
func NewSchema(streams cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON schema of scenario files, for editors",
		Long: `Print the JSON schema (draft 7) of scenario files. Editors with the
yaml-language-server check and complete a file that starts with

  # yaml-language-server: $schema=scenario.schema.json

The path is relative to the file. 'cosi-emu lint' checks more than a schema can.`,
		Example: `  cosi-emu schema > scenario.schema.json`,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			generated, err := schema.Generate()
			if err != nil {
				return err
			}
			_, err = streams.Out.Write(generated)
			return err
		},
	}
}
