package command

import (
	"github.com/spf13/cobra"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/examples"
)

func newExample(streams cli.Streams) *cobra.Command {
	var classes bool
	cmd := &cobra.Command{
		Use:   "example",
		Short: "Print example manifests",
		Long: `Print example manifests: a namespace with a BucketClaim and a BucketAccess. With
--classes, print the classes that 'cosi-emu up' creates, to adapt them for a cluster.`,
		Example: `  cosi-emu example | kubectl apply -f -
  cosi-emu example --classes > classes.yaml`,
		RunE: func(*cobra.Command, []string) error {
			manifest := examples.Quickstart
			if classes {
				manifest = examples.Classes
			}
			_, err := streams.Out.Write(manifest)
			return err
		},
	}
	cmd.Flags().BoolVar(&classes, "classes", false, "print the classes")
	return cmd
}
