package command

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/server"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store"
)

func newDriver(streams cli.Streams) *cobra.Command {
	var (
		log  logging
		opts server.Options
	)
	cmd := &cobra.Command{
		Use:   "driver",
		Short: "Run the fake driver alone, with its S3 store",
		Long: `Run the fake driver alone, with its S3 store, beside a 'cosi-emu sidecar': in the
same Pod, or on one machine. It runs until it is told to stop.

The store listens on 127.0.0.1 unless --s3-bind-address says otherwise, as it has
to in a Pod. Then --s3-endpoint says where applications find it. With
--tls-cert-file it is served over TLS; 'cosi-emu sidecar --certificate-authority'
puts into the Secrets what applications need to trust it.

Tokens of ServiceAccounts are not accepted: that needs the API server, as
'cosi-emu up' has it.`,
		Example: `  # For a sidecar that runs in a debugger, with buckets that last.
  cosi-emu driver --endpoint unix:///tmp/cosi.sock --data-dir ./cosi-data

  # In a Pod, behind a Service.
  cosi-emu driver --s3-bind-address :9000 --s3-endpoint http://fake-driver.cosi-system.svc:9000

  # The same over TLS, with the files of a Secret of type kubernetes.io/tls.
  cosi-emu driver --s3-bind-address :9000 --s3-endpoint https://fake-driver.cosi-system.svc:9000 \
    --tls-cert-file /tls/tls.crt --tls-private-key-file /tls/tls.key`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := log.validate(); err != nil {
				return err
			}
			log.set(streams)
			opts.Logger = ctrl.Log.WithName("fakedriver")
			err := server.Run(cmd.Context(), opts)
			if errors.Is(err, server.ErrOptions) {
				return cli.Usage(err)
			}
			return err
		},
	}
	flags := cmd.Flags()
	log.addFlags(flags)
	addEndpoint(flags, &opts.Endpoint, "UNIX socket that the driver listens on")
	addDriverFlags(flags, &opts)
	return cmd
}

// addDriverFlags adds the flags of what is served, and where.
func addDriverFlags(flags *pflag.FlagSet, opts *server.Options) {
	flags.StringVar(&opts.DriverName, "driver-name", fakedriver.DefaultName, "name of the driver, which classes refer to")
	flags.StringVar(&opts.S3BindAddress, "s3-bind-address", server.DefaultS3BindAddress,
		"TCP address of the S3 store; :9000 listens on all interfaces")
	flags.StringVar(&opts.S3Endpoint, "s3-endpoint", "",
		"URL at which applications find the store (default: http, or https, at --s3-bind-address)")
	flags.StringVar(&opts.S3VirtualEndpoint, "s3-virtual-endpoint", "",
		"URL whose host has the buckets as subdomains (default: s3.localhost if the store is for this machine only)")
	flags.StringVar(&opts.TLSCertFile, "tls-cert-file", "",
		"file with the certificate of the store, in PEM, followed by those that have signed it (default: no TLS)")
	flags.StringVar(&opts.TLSPrivateKeyFile, "tls-private-key-file", "", "file with the private key that belongs to --tls-cert-file, in PEM")
	flags.Var(protocols{&opts.Protocols}, "protocols", protocolsUsage)
	flags.StringVar(&opts.GCSBindAddress, "gcs-bind-address", server.DefaultGCSBindAddress,
		"TCP address of the GCS service, if it is among --protocols; :9090 listens on all interfaces")
	flags.StringVar(&opts.GCSEndpoint, "gcs-endpoint", "",
		"URL at which applications find the GCS service (default: http, or https, at --gcs-bind-address)")
	addStoreLimits(flags, &opts.MaxBodyBytes, &opts.MaxAccounts)
	flags.StringVar(&opts.S3Region, "s3-region", store.DefaultRegion, "region of the store, which clients sign for")
	flags.StringVar(&opts.DataDir, "data-dir", "", "directory that keeps buckets, objects and accounts (default: they end with the driver)")
}
