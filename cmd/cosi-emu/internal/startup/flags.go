// Package startup has the flags of commands that start an emulator, and starts it.
package startup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/bridge"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/progress"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/telemetry"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/definitions"
	"github.com/cosi-emu/cosi-emu/internal/initdir"
	"github.com/cosi-emu/cosi-emu/internal/session"
)

const (
	// StopTimeout limits the stop of an emulator, which takes a second or two.
	StopTimeout = time.Minute
	// DefaultTimeout includes time to build the control plane, once.
	DefaultTimeout = 40 * time.Minute
)

// Flags are the flags of a command that starts an emulator.
type Flags struct {
	// Session has the options of the emulator, as far as the command line has them.
	Session session.Options
	// Records prints the progress for another process.
	Records bool

	cluster clusterFlags
	store   storeFlags
	own     OwnComponents
	// v1alpha1 has the endpoint of S3 of a driver that returns none.
	v1alpha1 cli.V1alpha1Driver
	pods     pods
	tracing  telemetry.Flags
	timeout  time.Duration
	limit    string                  // the flag of the timeout
	buckets  []fakedriver.BucketSpec // of --bucket
	init     string                  // the directory or manifest that fills the emulator
	crds     string                  // the file or directory with other definitions
}

// Add adds all flags.
func (f *Flags) Add(flags *pflag.FlagSet) {
	f.AddTimeout(flags, "timeout")
	cli.AddAPI(flags, &f.Session.Emulator.API,
		"version of the COSI kinds and of the driver's protocol, v1alpha1 or v1alpha2 (default: as --data-dir or --from, else v1alpha2)")
	f.AddEmulator(flags)
	o := &f.Session.Emulator
	f.store.addFlags(flags, o)
	f.tracing.Add(flags)
	flags.StringArrayVar(&o.DriverNames, "driver-name", nil,
		"name of the fake driver, to use classes of another driver: the fake driver then ignores unknown parameters; can be "+
			"repeated (default: the names in --data-dir or --from, if any)")
	cli.AddIgnoreUnknownParameters(flags, &o.IgnoreUnknownParameters)
	cli.AddStrict(flags, &o.Strict)
	cli.AddSecretKeys(flags, &o.SecretKeys)
	flags.StringVar(&f.Session.Emulator.Listen, "listen", "",
		"IP address to listen on beyond 127.0.0.1, 0.0.0.0 for all; S3 then uses TLS, and 'up' prints the kubeconfig with its keys")
	flags.StringVar(&f.Session.Emulator.Advertise, "advertise", "",
		"host name or IP address by which clients reach --listen (default: that address, or 127.0.0.1 for all)")
	flags.StringVar(&f.init, "init", "",
		"directory that fills the emulator at its start: manifests, and buckets/BUCKET/KEY for buckets and objects; or one manifest")
	flags.StringVar(&f.crds, "crds", "",
		"file or directory with CustomResourceDefinitions of another draft, for your own controller and sidecar (default: the emulator's)")
	flags.StringVar(&f.Session.Emulator.Snapshot, "from", "",
		"snapshot to start from, a file of 'cosi-emu snapshot save'; a --data-dir must be empty")
}

// readInit reads the directory of --init, before anything starts.
func (f *Flags) readInit() (err error) {
	if f.init == "" {
		return nil
	}
	if f.Session.Init, err = initdir.Read(f.init); err != nil {
		return cli.Usage(fmt.Errorf("--init: %w", err))
	}
	if f.Session.Init.HasBuckets() && !f.hasStore() {
		return cli.Usage(fmt.Errorf("--init: %s has buckets, and an emulator with your own driver has no store for them", f.init))
	}
	if f.Session.Init.HasManifests() && f.Session.Emulator.StoreOnly {
		return cli.Usage(fmt.Errorf("--init: %s has manifests, and with --only there is no API server for them; it can have buckets", f.init))
	}
	return nil
}

// readCRDs reads other definitions, before anything starts.
func (f *Flags) readCRDs() (err error) {
	if f.crds == "" {
		return nil
	}
	version := cmp.Or(f.Session.Emulator.API, objectstorage.V1alpha2)
	if f.Session.Emulator.CRDs, err = definitions.Read(f.crds, version); err != nil {
		return cli.Usage(fmt.Errorf("--crds: %w", err))
	}
	return nil
}

// hasStore reports whether the emulator has the fake driver, with its store.
func (f *Flags) hasStore() bool {
	o := &f.Session.Emulator
	return o.Driver == "" && !o.NoDriver && f.own.driver == ""
}

// Restores reports whether the emulator can start from the snapshot of a scenario.
func (f *Flags) Restores() bool {
	return f.hasStore() && f.Session.Emulator.Dialect == "" && !f.cluster.wanted
}

// HasOneVersion reports whether another option than --api limits the emulator to one version of the
// COSI kinds.
func (f *Flags) HasOneVersion() bool {
	return f.own.controller != "" || f.own.sidecar != "" || f.Session.Emulator.Dialect != "" || f.cluster.wanted
}

// ComponentsAPI returns the version of the COSI kinds that --components implies, or the empty one.
func (f *Flags) ComponentsAPI() objectstorage.Version { return f.own.api() }

// AddTimeout adds the flag with that name for the limit of the start.
func (f *Flags) AddTimeout(flags *pflag.FlagSet, name string) {
	f.limit = name
	flags.DurationVar(&f.timeout, name, DefaultTimeout, "time limit for the start, including a build of the control plane")
}

// AddEmulator adds the flags of commands that start an emulator for themselves.
func (f *Flags) AddEmulator(flags *pflag.FlagSet) {
	o := &f.Session.Emulator
	o.Strict = true // except for 'up', which has a flag
	f.cluster.addFlags(flags)
	f.own.AddFlags(flags)
	f.pods.addFlags(flags)
	flags.StringVar(&f.Session.DataDir, "data-dir", "",
		"directory that keeps objects, buckets and accounts across restarts (default: in memory)")
	flags.IntVar(&o.APIServerPort, "api-server-port", 0, "port of kube-apiserver (default: a free one)")
	flags.IntVar(&o.S3Port, "s3-port", 0, "port of the S3 store (default: as --data-dir or --from, else a free one)")
	flags.StringVar(&o.S3Region, "s3-region", "",
		"region of the store, which requests must be signed for, or of your v1alpha1 driver, if it returns none (default: as --data-dir or "+
			"--from, else "+fakedriver.DefaultRegion+", and "+bridge.DefaultS3Region+" for your driver)")
	f.v1alpha1.AddS3Endpoint(flags)
	flags.BoolVar(&o.TLS, "tls", false, "serve S3, GCS and Azure over TLS; the Secrets of accesses contain the certificate authority")
	cli.AddStore(flags, &o.MaxBodyBytes, &o.MaxAccounts, &o.S3CORSOrigins)
	cli.AddProtocols(flags, &o.Protocols)
	flags.Lookup("protocols").Usage = "protocols of the fake driver, a comma-separated list of S3, GCS and Azure; the first is the default " +
		"of BucketClaims; or those that your v1alpha1 driver serves, S3 and Azure (default: S3)"
	flags.IntVar(&o.AzurePort, "azure-port", 0,
		"port of the Azure service, with --protocols Azure (default: as --data-dir or --from, else a free one)")
	flags.IntVar(&o.GCSPort, "gcs-port", 0,
		"port of the GCS service, with --protocols GCS (default: as --data-dir or --from, else a free one)")
	flags.StringVar(&o.Socket, "socket", "", "path of the fake driver's UNIX socket (default: in the emulator's directory)")
	flags.StringVar(&o.Driver, "driver", "",
		"endpoint of your driver, unix:///path/to/driver.sock, instead of the fake driver; with --driver-cmd, where it listens")
	cli.AddDialect(flags, &o.Dialect, cli.DriverDialectUsage, "your driver is asked; for the fake driver, as --data-dir")
	cli.AddDriverIDs(flags, &o.DriverIDs)
	flags.BoolVar(&o.NoDriver, "no-fake-driver", false,
		"start no driver, sidecar and S3 store; run your own with 'cosi-emu sidecar'")
	flags.BoolVar(&o.LeaderElection, "leader-elect", false,
		"enable leader election of controller and sidecars, as on a cluster; 'cosi-emu fault add --lose-lease' requires it")
	cli.AddControlPlane(flags, &o.ControlPlaneKind, &o.ControlPlaneDir)
	flags.DurationVar(&o.ConnectTimeout, "connect-timeout", emulator.DefaultConnectTimeout,
		"time limit for the first answer of your driver")
	cli.AddSecretParametersFrom(flags, &o.SecretParametersFrom)
	flags.DurationVar(&o.RPCTimeout, "rpc-timeout", emulator.DefaultRPCTimeout, "time limit for each call to the driver")
	flags.IntVarP(&o.LogVerbosity, "verbosity", "v", 0, "log level of controller, sidecar and driver")
}

// ValidateAssume rejects --assume-existing for an emulator without a user's driver, now or later,
// as from scenarios.
func (f *Flags) ValidateAssume() error {
	if f.own.assumeExisting && f.own.driver == "" && f.Session.Emulator.Driver == "" {
		return cli.Usage(errors.New("--assume-existing requires --driver or --driver-cmd: it is for the bridge in front of your driver"))
	}
	return nil
}

// describeDriver has --protocols, --s3-endpoint and --s3-region describe the user's driver, in place of the fake driver.
func (f *Flags) describeDriver() error {
	o := &f.Session.Emulator
	if o.Driver == "" && o.Implementations.DriverCommand == nil {
		if f.v1alpha1.S3Endpoint != "" && f.hasStore() {
			return cli.Usage(errors.New("--s3-endpoint requires --driver or --driver-cmd: the fake driver has a store of its own"))
		}
		return nil
	}
	for _, protocol := range o.Protocols {
		f.v1alpha1.Protocols = append(f.v1alpha1.Protocols, protocol.String())
	}
	f.v1alpha1.S3Region = o.S3Region
	o.Protocols, o.S3Region = nil, ""
	return DescribeDriver(&f.v1alpha1, o)
}

// Run starts an emulator, calls during, and stops the emulator again.
func (f *Flags) Run(ctx context.Context, streams cli.Streams, during func(*session.Session) error) error {
	if err := errors.Join(f.cluster.validate(f.Session), f.applyOnly()); err != nil {
		return err
	}
	f.own.inCluster = f.cluster.wanted
	if err := f.own.Apply(&f.Session.Emulator); err != nil {
		return err
	}
	if err := f.describeDriver(); err != nil {
		return err
	}
	if err := errors.Join(f.readCRDs(), f.readInit(), f.addBuckets(), f.pods.apply(&f.Session.Emulator)); err != nil {
		return err
	}
	f.cluster.apply(&f.Session)
	flush, err := f.startTracing(ctx, streams)
	if err != nil {
		return err
	}
	defer flush()
	cli.SilenceLibraries()
	reporter := f.reporter(streams.Err)
	f.Session.Emulator.Reporter = reporter
	f.Session.Version = cli.ReadVersions().Version
	f.Session.NewPage = newPage(f.Session.Name, f.Session.Version)
	startCtx, cancel := context.WithTimeoutCause(ctx, f.timeout, fmt.Errorf("not ready after %s, the limit of --%s", f.timeout, f.limit))
	defer cancel()
	running, err := session.Start(startCtx, f.Session)
	err = errors.Join(err, reporter.Close())
	if err != nil {
		return withCause(startCtx, err)
	}
	err = during(running)
	stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), StopTimeout)
	defer cancel()
	err = errors.Join(err, running.Stop(stopCtx))
	return errors.Join(err, PrintLeft(streams.Err, running.Info().Context, running.Emulator().Info().Leftovers))
}

// ValidateTracing rejects invalid flags of tracing.
func (f *Flags) ValidateTracing() error { return f.tracing.Validate() }

func (f *Flags) startTracing(ctx context.Context, streams cli.Streams) (flush func(), err error) {
	f.Session.Emulator.TracerProvider, flush, err = f.tracing.Start(ctx, "cosi-emu", func(problem string) {
		_, _ = fmt.Fprintln(streams.Err, "Warning: "+problem)
	})
	return flush, err
}

// The emulator checks for a DetailReporter at run time.
var _ emulator.DetailReporter = progress.Reporter(nil)

func (f *Flags) reporter(w io.Writer) progress.Reporter {
	if f.Records {
		return progress.NewRecorder(w)
	}
	return progress.New(w)
}

// withCause adds the cause of a cancelled ctx to an error: the time limit, or the signal.
func withCause(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	if cause == nil || errors.Is(err, cause) {
		return err
	}
	return fmt.Errorf("%w; %w", err, cause)
}

// ValidateCluster rejects flags that exclude an existing cluster.
func (f *Flags) ValidateCluster() error { return f.cluster.validate(f.Session) }
