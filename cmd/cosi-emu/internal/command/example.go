package command

import (
	"github.com/spf13/cobra"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/examples"
)

func newExample(streams cli.Streams) *cobra.Command {
	var classes bool
	api := objectstorage.V1alpha2
	cmd := &cobra.Command{
		Use:   "example",
		Short: "Print example manifests",
		Long: `Print example manifests: a namespace with a BucketClaim and a BucketAccess. With
--classes, print the classes that 'cosi-emu up' creates, to adapt them for a cluster.`,
		Example: `  cosi-emu example | kubectl apply -f -
  cosi-emu example --api v1alpha1 | kubectl apply -f -
  cosi-emu example --classes > classes.yaml`,
		RunE: func(*cobra.Command, []string) error {
			manifests := map[objectstorage.Version][2][]byte{
				objectstorage.V1alpha1: {examples.QuickstartV1alpha1, examples.ClassesV1alpha1},
				objectstorage.V1alpha2: {examples.Quickstart, examples.Classes},
			}[api]
			manifest := manifests[0]
			if classes {
				manifest = manifests[1]
			}
			_, err := streams.Out.Write(manifest)
			return err
		},
	}
	cmd.Flags().BoolVar(&classes, "classes", false, "print the classes")
	addAPI(cmd.Flags(), &api, "version of the kinds, v1alpha1 or v1alpha2")
	return cmd
}
