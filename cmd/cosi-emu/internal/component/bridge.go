package component

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cosi-emu/cosi-emu/bridge"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/telemetry"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

type standaloneBridge struct {
	bridgeFlags

	listen  string
	access  apiAccess
	tracing telemetry.Flags
}

// NewBridge returns the command bridge, which serves a driver of an earlier protocol.
func NewBridge(streams cli.Streams) *cobra.Command {
	var flags standaloneBridge
	cmd := &cobra.Command{
		Use:   "bridge",
		Short: "Put a driver of an older protocol behind COSI v1alpha2",
		Long: `Serve COSI v1alpha2 as the KEP describes it on one socket, and translate each call for the
driver on another: a driver of v1alpha1, or of an earlier dialect of v1alpha2. It asks the
driver which it is, and prints that. It runs between driver and sidecar, in their Pod or on
a laptop, until the process gets SIGTERM. 'cosi-emu up --driver' and 'cosi-emu sidecar' do
this by themselves.

The bridge stores the IDs that the driver returns for buckets and accounts: in the files of
--state-dir, or in the ConfigMaps of --namespace.

A v1alpha1 driver grants read-write access to one bucket, and cannot look up existing
buckets. A driver of the dialect one-mode has one access mode for a bucket. docs/bridge.md
has the dialects, and what each cannot express.`,
		Example: `  # On a laptop.
  cosi-emu bridge --driver unix:///tmp/old.sock --listen unix:///tmp/new.sock \
    --state-dir ./bridge-state

  # In the Pod of the driver, for a sidecar without a bridge of its own.
  cosi-emu bridge --driver unix:///old/cosi.sock \
    --listen unix:///var/lib/cosi/cosi.sock --namespace my-driver

  # A driver of Azure Blob Storage, and existing buckets.
  cosi-emu bridge --driver unix:///tmp/old.sock --listen unix:///tmp/new.sock \
    --state-dir ./bridge-state --protocols AZURE --assume-existing

  # A driver of v1alpha2 as of 5 January 2026, which has no access modes.
  cosi-emu bridge --driver unix:///tmp/old.sock --listen unix:///tmp/new.sock \
    --state-dir ./bridge-state --dialect no-modes`,
		RunE: func(cmd *cobra.Command, _ []string) error { return flags.run(cmd.Context(), streams) },
	}
	f := cmd.Flags()
	flags.access.addFlags(f)
	flags.addFlags(f)
	flags.tracing.Add(f)
	f.StringVar(&flags.options.Driver, "driver", "", "endpoint of the driver, unix:///path/to/driver.sock (required)")
	f.StringVar(&flags.listen, "listen", "", "UNIX socket for the sidecar, unix:///path/to/bridge.sock (required)")
	f.StringVar(&flags.stateDir, "state-dir", "", "directory that keeps the driver's IDs")
	f.StringVar(&flags.namespace, "namespace", "", "namespace whose ConfigMaps keep the driver's IDs")
	f.StringVar(&flags.name, "name", "cosi-bridge", "prefix of the names of the ConfigMaps, for several bridges in a namespace")
	return cmd
}

func (f *standaloneBridge) run(ctx context.Context, streams cli.Streams) (err error) {
	if err := f.check(); err != nil {
		return cli.Usage(err)
	}
	store, closeStore, err := f.openStore()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeStore()) }()
	opts := f.options
	provider, flush, err := f.tracing.Start(ctx, "cosi-bridge", func(problem string) {
		_, _ = fmt.Fprintln(streams.Err, problem)
	})
	if err != nil {
		return err
	}
	defer flush()
	opts.TracerProvider = provider
	opts.Store = store
	opts.Detected = func(dialect dialects.Dialect) {
		_, _ = fmt.Fprintf(streams.Err, "the driver at %s speaks %s\n", opts.Driver, dialect.Protocol())
	}
	b, err := bridge.New(opts)
	if err != nil {
		return cli.Usage(err)
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	listener, err := fakedriver.Listen(f.listen) //nolint:contextcheck // the probe of a stale socket is bounded by itself
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(streams.Err, "bridge from %s to the driver at %s\n", f.listen, opts.Driver)
	if opts.Dialect != "" {
		opts.Detected(opts.Dialect)
	}
	return b.Serve(ctx, listener)
}

func (f *standaloneBridge) check() error {
	for _, required := range []struct {
		flag, value string
		validate    func(string) error
	}{
		{"--driver", f.options.Driver, fakedriver.ValidateEndpoint}, {"--listen", f.listen, fakedriver.ValidateListenEndpoint},
	} {
		if required.value == "" {
			return fmt.Errorf("%s is required, such as unix:///tmp/driver.sock", required.flag)
		}
		if err := required.validate(required.value); err != nil {
			return fmt.Errorf("%s: %w", required.flag, err)
		}
	}
	if f.options.Driver == f.listen {
		return fmt.Errorf("--driver and --listen are the same socket, %s: the bridge needs one of its own", f.listen)
	}
	if (f.stateDir == "") == (f.namespace == "") {
		return errors.New("one of --state-dir and --namespace is required: the bridge keeps the driver's IDs there")
	}
	return errors.Join(f.access.validate(), f.tracing.Validate(), f.validate())
}

func (f *standaloneBridge) openStore() (store bridge.Store, closeStore func() error, err error) {
	if f.stateDir != "" {
		directory, err := bridge.OpenDirectory(f.stateDir)
		if err != nil {
			return nil, nil, err
		}
		return directory, directory.Close, nil
	}
	cfg, err := f.access.config()
	if err != nil {
		return nil, nil, err
	}
	store, err = newConfigMaps(cfg, f.namespace, f.name)
	return store, func() error { return nil }, err
}
