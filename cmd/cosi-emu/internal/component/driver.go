package component

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/telemetry"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/driverserver"
)

// NewDriver returns the command driver, the fake driver.
func NewDriver(streams cli.Streams) *cobra.Command {
	var (
		log  logging
		opts driverserver.Options

		tracing telemetry.Flags
	)
	cmd := &cobra.Command{
		Use:   "driver",
		Short: "Run the fake driver and its S3 store alone",
		Long: `Run the fake driver and its S3 store for a 'cosi-emu sidecar' in the same Pod or on
the same machine, until the process gets SIGTERM.

The store listens on 127.0.0.1. In a Pod, set --s3-bind-address, and --s3-endpoint for
the URL in the Secrets of applications. With --tls-cert-file the store uses TLS;
'cosi-emu sidecar --certificate-authority' adds the authority to the Secrets.

The driver speaks COSI v1alpha2 as the KEP has it, or the dialect of --dialect, and no
other. docs/bridge.md describes the dialects. A driver of v1alpha1 has one protocol.

ServiceAccount tokens are rejected, because reviewing them requires the API server.
'cosi-emu up' accepts them.`,
		Example: `  # For a sidecar in a debugger, with buckets that survive a restart.
  cosi-emu driver --endpoint unix:///tmp/cosi.sock --data-dir ./cosi-data

  # In a Pod, behind a Service.
  cosi-emu driver --s3-bind-address :9000 --s3-endpoint http://fake-driver.cosi-system.svc:9000

  # The same over TLS, with the files of a Secret of type kubernetes.io/tls.
  cosi-emu driver --s3-bind-address :9000 --s3-endpoint https://fake-driver.cosi-system.svc:9000 \
    --tls-cert-file /tls/tls.crt --tls-private-key-file /tls/tls.key

  # For a page on a development server, which uploads with presigned URLs.
  cosi-emu driver --endpoint unix:///tmp/cosi.sock --s3-cors-origin http://localhost:3000

  # For a sidecar of an earlier draft of v1alpha2.
  cosi-emu driver --dialect one-mode --endpoint unix:///tmp/draft.sock

  # For a sidecar of COSI v1alpha1, or to try the bridge.
  cosi-emu driver --dialect v1alpha1 --endpoint unix:///tmp/old.sock

  # With a store that fails while the file ./outage/fail exists.
  cosi-emu driver --endpoint unix:///tmp/cosi.sock --outage-dir ./outage`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := validate(log.validate, tracing.Validate); err != nil {
				return err
			}
			log.set(streams)
			opts.Logger = ctrl.Log.WithName("fakedriver")
			return runDriver(cmd.Context(), opts, &tracing)
		},
	}
	flags := cmd.Flags()
	log.addFlags(flags)
	tracing.Add(flags)
	addEndpoint(flags, &opts.Endpoint, "UNIX socket that the driver listens on")
	addDriverFlags(flags, &opts)
	return cmd
}

func runDriver(ctx context.Context, opts driverserver.Options, tracing *telemetry.Flags) error {
	provider, flush, err := tracing.Start(ctx, "cosi-driver", reportTo(opts.Logger))
	if err != nil {
		return err
	}
	defer flush()
	opts.TracerProvider = provider
	err = driverserver.Run(ctx, opts)
	if errors.Is(err, driverserver.ErrOptions) {
		return cli.Usage(err)
	}
	return err
}

func addDriverFlags(flags *pflag.FlagSet, opts *driverserver.Options) {
	flags.StringVar(&opts.DriverName, "driver-name", fakedriver.DefaultName, "driver name, as in the classes")
	cli.AddIgnoreUnknownParameters(flags, &opts.IgnoreUnknownParameters)
	cli.AddDialect(flags, &opts.Dialect, "protocol that the driver speaks", "kep")
	cli.AddDriverIDs(flags, &opts.IDs)
	flags.StringVar(&opts.S3BindAddress, "s3-bind-address", driverserver.DefaultS3BindAddress,
		"TCP address of the S3 store; :9000 listens on all interfaces")
	flags.StringVar(&opts.S3Endpoint, "s3-endpoint", "",
		"URL of the store for applications (default: http or https at --s3-bind-address)")
	flags.StringVar(&opts.S3VirtualEndpoint, "s3-virtual-endpoint", "",
		"URL for virtual-host addressing, with buckets as subdomains (default: s3.localhost if the store listens on localhost only)")
	flags.StringVar(&opts.TLSCertFile, "tls-cert-file", "",
		"PEM file with the certificate chain of the store (default: no TLS)")
	flags.StringVar(&opts.TLSPrivateKeyFile, "tls-private-key-file", "", "PEM file with the private key of --tls-cert-file")
	cli.AddProtocols(flags, &opts.Protocols)
	flags.StringVar(&opts.GCSBindAddress, "gcs-bind-address", driverserver.DefaultGCSBindAddress,
		"TCP address of the GCS service, with --protocols GCS; :9090 listens on all interfaces")
	flags.StringVar(&opts.GCSEndpoint, "gcs-endpoint", "",
		"URL of the GCS service for applications (default: http or https at --gcs-bind-address)")
	flags.StringVar(&opts.AzureBindAddress, "azure-bind-address", driverserver.DefaultAzureBindAddress,
		"TCP address of the Azure service, with --protocols Azure; :10000 listens on all interfaces")
	flags.StringVar(&opts.AzureEndpoint, "azure-endpoint", "",
		"URL of the Azure service for applications (default: http or https at --azure-bind-address)")
	cli.AddStore(flags, &opts.MaxBodyBytes, &opts.MaxAccounts, &opts.S3CORSOrigins)
	flags.StringVar(&opts.S3Region, "s3-region", fakedriver.DefaultRegion, "region of the store, which requests must be signed for")
	flags.StringVar(&opts.DataDir, "data-dir", "", "directory that keeps buckets, objects and accounts across restarts (default: in memory)")
	flags.StringVar(&opts.OutageDir, "outage-dir", "",
		"directory in which a file 'fail' has the store reject all requests, and a file 'lose/BUCKET' has it lose a bucket (default: none)")
}
