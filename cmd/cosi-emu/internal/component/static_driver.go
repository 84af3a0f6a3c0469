package component

import (
	"github.com/spf13/cobra"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/internal/staticdriver"
)

// NewStaticDriver returns the command static-driver.
func NewStaticDriver(streams cli.Streams) *cobra.Command {
	var (
		log  logging
		opts staticdriver.Options
	)
	cmd := &cobra.Command{
		Use:   "static-driver",
		Short: "Run a driver for existing buckets of a provider without a COSI driver",
		Long: `Run a COSI driver that creates nothing, for buckets that exist at a provider without a
driver of its own, until the process gets SIGTERM. Applications get the keys of a Secret
that an administrator has created, and that the parameters of the BucketAccessClass name.
The sidecar reads it: start 'cosi-emu sidecar' with --secret-parameters-from.

The driver serves S3, Azure and GCS, COSI v1alpha2 and v1alpha1. It calls no provider.
docs/driver.md has the parameters. 'cosi-emu example --static' prints an example, which
docs/recipes.md explains.`,
		Example: `  # Beside a sidecar that may read the Secrets of one namespace for drivers.
  cosi-emu static-driver --endpoint unix:///tmp/static.sock &
  cosi-emu sidecar --endpoint unix:///tmp/static.sock --secret-parameters-from cosi-system

  # With an emulator.
  cosi-emu static-driver --endpoint unix:///tmp/static.sock &
  cosi-emu up --driver unix:///tmp/static.sock --secret-parameters-from cosi-system`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := validate(log.validate, opts.Validate); err != nil {
				return err
			}
			log.set(streams)
			opts.Logger = ctrl.Log.WithName("staticdriver")
			return staticdriver.Run(cmd.Context(), opts)
		},
	}
	flags := cmd.Flags()
	log.addFlags(flags)
	addEndpoint(flags, &opts.Endpoint, "UNIX socket that the driver listens on")
	flags.StringVar(&opts.Name, "driver-name", staticdriver.DefaultName, "driver name, as in the classes")
	return cmd
}
