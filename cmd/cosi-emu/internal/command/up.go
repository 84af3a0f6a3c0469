package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/progress"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/internal/definitions"
	"github.com/cosi-emu/cosi-emu/internal/initdir"
	"github.com/cosi-emu/cosi-emu/internal/session"
)

const (
	// stopTimeout limits the stop of an emulator, which takes a second or two.
	stopTimeout = time.Minute
	// defaultStartTimeout includes time to build the control plane, once.
	defaultStartTimeout = 40 * time.Minute
)

type start struct {
	session session.Options
	cluster clusterFlags
	own     ownComponents
	timeout time.Duration
	limit   string // the flag of the timeout
	init    string // the directory that fills the emulator
	crds    string // the file or directory with other definitions
	records bool
}

func (s *start) addFlags(flags *pflag.FlagSet) {
	s.addTimeout(flags, "timeout")
	cli.AddAPI(flags, &s.session.Emulator.API,
		"version of the COSI kinds and of the driver's protocol, v1alpha1 or v1alpha2 (default: as --data-dir or --from, else v1alpha2)")
	s.addEmulator(flags)
	o := &s.session.Emulator
	flags.StringArrayVar(&o.DriverNames, "driver-name", nil,
		"name of the fake driver, to use classes of another driver: the fake driver then ignores unknown parameters; can be "+
			"repeated (default: the names in --data-dir or --from, if any)")
	cli.AddIgnoreUnknownParameters(flags, &o.IgnoreUnknownParameters)
	cli.AddStrict(flags, &o.Strict)
	cli.AddSecretKeys(flags, &o.SecretKeys)
	flags.StringVar(&s.session.Emulator.Listen, "listen", "",
		"IP address to listen on beyond 127.0.0.1, 0.0.0.0 for all; S3 then uses TLS, and 'up' prints the kubeconfig with its keys")
	flags.StringVar(&s.session.Emulator.Advertise, "advertise", "",
		"host name or IP address by which clients reach --listen (default: that address, or 127.0.0.1 for all)")
	flags.StringVar(&s.init, "init", "",
		"directory that fills the emulator at its start: manifests, and buckets/BUCKET/KEY for buckets and objects")
	flags.StringVar(&s.crds, "crds", "",
		"file or directory with CustomResourceDefinitions of another draft, for your own controller and sidecar (default: the emulator's)")
	flags.StringVar(&s.session.Emulator.Snapshot, "from", "",
		"snapshot to start from, a file of 'cosi-emu snapshot save'; a --data-dir must be empty")
}

// readInit reads the directory of --init, before anything starts.
func (s *start) readInit() (err error) {
	if s.init == "" {
		return nil
	}
	if s.session.Init, err = initdir.Read(s.init); err != nil {
		return cli.Usage(fmt.Errorf("--init: %w", err))
	}
	if s.session.Init.HasBuckets() && !s.hasStore() {
		return cli.Usage(fmt.Errorf("--init: %s has buckets, and an emulator with your own driver has no store for them", s.init))
	}
	return nil
}

// readCRDs reads other definitions, before anything starts.
func (s *start) readCRDs() (err error) {
	if s.crds == "" {
		return nil
	}
	version := cmp.Or(s.session.Emulator.API, objectstorage.V1alpha2)
	if s.session.Emulator.CRDs, err = definitions.Read(s.crds, version); err != nil {
		return cli.Usage(fmt.Errorf("--crds: %w", err))
	}
	return nil
}

// hasStore reports whether the emulator has the fake driver, with its store.
func (s *start) hasStore() bool {
	o := &s.session.Emulator
	return o.Driver == "" && !o.NoDriver && s.own.driver == ""
}

// restores reports whether the emulator can start from the snapshot of a scenario.
func (s *start) restores() bool {
	return s.hasStore() && s.session.Emulator.Dialect == "" && !s.cluster.wanted
}

// hasOneVersion reports whether another option than --api limits the emulator to one version of the
// COSI kinds.
func (s *start) hasOneVersion() bool {
	return s.own.controller != "" || s.own.sidecar != "" || s.session.Emulator.Dialect != "" || s.cluster.wanted
}

// addTimeout adds the flag with that name for the limit of the start.
func (s *start) addTimeout(flags *pflag.FlagSet, name string) {
	s.limit = name
	flags.DurationVar(&s.timeout, name, defaultStartTimeout, "time limit for the start, including a build of the control plane")
}

func (s *start) addEmulator(flags *pflag.FlagSet) {
	o := &s.session.Emulator
	o.Strict = true // except for 'up', which has a flag
	s.cluster.addFlags(flags)
	s.own.addFlags(flags)
	flags.StringVar(&s.session.DataDir, "data-dir", "",
		"directory that keeps objects, buckets and accounts across restarts (default: in memory)")
	flags.IntVar(&o.APIServerPort, "api-server-port", 0, "port of kube-apiserver (default: a free one)")
	flags.IntVar(&o.S3Port, "s3-port", 0, "port of the S3 store (default: a free one)")
	flags.BoolVar(&o.TLS, "tls", false, "serve S3, GCS and Azure over TLS; the Secrets of accesses contain the certificate authority")
	cli.AddStore(flags, &o.MaxBodyBytes, &o.MaxAccounts, &o.S3CORSOrigins)
	cli.AddProtocols(flags, &o.Protocols)
	flags.IntVar(&o.AzurePort, "azure-port", 0, "port of the Azure service, with --protocols Azure (default: a free one)")
	flags.IntVar(&o.GCSPort, "gcs-port", 0, "port of the GCS service, with --protocols GCS (default: a free one)")
	flags.StringVar(&o.Socket, "socket", "", "path of the fake driver's UNIX socket (default: in the emulator's directory)")
	flags.StringVar(&o.Driver, "driver", "",
		"endpoint of your driver, unix:///path/to/driver.sock, instead of the fake driver; with --driver-cmd, where it listens")
	cli.AddDialect(flags, &o.Dialect, cli.DriverDialectUsage, "your driver is asked; for the fake driver, as --data-dir")
	flags.BoolVar(&o.NoDriver, "no-fake-driver", false,
		"start no driver, sidecar and S3 store; run your own with 'cosi-emu sidecar'")
	flags.BoolVar(&o.LeaderElection, "leader-elect", false,
		"enable leader election of controller and sidecars, as on a cluster; 'cosi-emu fault add --lose-lease' requires it")
	cli.AddControlPlane(flags, &o.ControlPlaneKind, &o.ControlPlaneDir)
	flags.DurationVar(&o.ConnectTimeout, "connect-timeout", emulator.DefaultConnectTimeout,
		"time limit for the first answer of your driver")
	flags.DurationVar(&o.RPCTimeout, "rpc-timeout", emulator.DefaultRPCTimeout, "time limit for each call to the driver")
	flags.IntVarP(&o.LogVerbosity, "verbosity", "v", 0, "log level of controller, sidecar and driver")
}

// validateAssume rejects --assume-existing for an emulator without a user's driver, now or later,
// as from scenarios.
func (s *start) validateAssume() error {
	if s.own.assumeExisting && s.own.driver == "" && s.session.Emulator.Driver == "" {
		return cli.Usage(errors.New("--assume-existing requires --driver or --driver-cmd: it is for the bridge in front of your driver"))
	}
	return nil
}

// run starts an emulator, calls during, and stops the emulator again.
func (s *start) run(ctx context.Context, streams cli.Streams, during func(*session.Session) error) error {
	if err := s.cluster.validate(s.session); err != nil {
		return err
	}
	if err := s.own.apply(&s.session.Emulator); err != nil {
		return err
	}
	if err := errors.Join(s.readCRDs(), s.readInit()); err != nil {
		return err
	}
	s.cluster.apply(&s.session)
	cli.SilenceLibraries()
	reporter := s.reporter(streams.Err)
	s.session.Emulator.Reporter = reporter
	s.session.Version = version().Version
	s.session.NewPage = newPage(s.session.Name, s.session.Version)
	startCtx, cancel := context.WithTimeoutCause(ctx, s.timeout, fmt.Errorf("not ready after %s, the limit of --%s", s.timeout, s.limit))
	defer cancel()
	running, err := session.Start(startCtx, s.session)
	err = errors.Join(err, reporter.Close())
	if err != nil {
		return withCause(startCtx, err)
	}
	err = during(running)
	stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	err = errors.Join(err, running.Stop(stopCtx))
	return errors.Join(err, printLeft(streams.Err, running.Info().Context, running.Emulator().Info().Leftovers))
}

// The emulator checks for a DetailReporter at run time.
var _ emulator.DetailReporter = progress.Reporter(nil)

func (s *start) reporter(w io.Writer) progress.Reporter {
	if s.records {
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

const upExamples = `  # Ctrl-C stops it.
  cosi-emu up

  # With a page that shows what happens while it happens.
  cosi-emu up --ui

  # In the background, with data that survives a restart, and S3 over TLS.
  cosi-emu up -d --data-dir ./cosi-data --tls

  # The COSI of today's deployments, with your driver for it.
  cosi-emu up --api v1alpha1
  cosi-emu up --api v1alpha1 --driver unix:///tmp/old.sock

  # With S3 and Google Cloud Storage.
  cosi-emu up --protocols S3,GCS

  # For a page on a development server, which uploads with presigned URLs or forms.
  cosi-emu up --s3-cors-origin http://localhost:3000

  # With everything that another emulator had when 'cosi-emu snapshot save' ran.
  cosi-emu up --from ./my.snapshot

  # With the manifests of a directory, and the buckets and objects of its directory buckets.
  cosi-emu up --init testdata/cosi

  # For other machines, which reach this one as build-7.example.com.
  cosi-emu up --listen 0.0.0.0 --advertise build-7.example.com \
    --api-server-port 6443 --s3-port 9000

  # A second one, for your own driver.
  cosi-emu up --name mine --driver unix:///tmp/my-driver.sock

  # The emulator starts your driver, and restarts it when it exits.
  cosi-emu up --driver-cmd './my-driver --endpoint=$(COSI_ENDPOINT)' \
    --driver-env BACKEND_URL=http://127.0.0.1:9000

  # A driver of COSI v1alpha1, behind a bridge, and buckets that it has already.
  cosi-emu up --driver unix:///tmp/old.sock --assume-existing

  # A driver with a path compiled in.
  cosi-emu up --driver-cmd ./my-driver --driver unix:///var/lib/cosi/cosi.sock

  # Your driver on this machine, and a cluster without COSI.
  cosi-emu up --existing-cluster --context kind-kind --install --driver unix:///tmp/my-driver.sock

  # Your own sidecar, in place of the emulator's.
  cosi-emu up --sidecar-cmd './my-sidecar --kubeconfig=$(KUBECONFIG) --driver=$(COSI_ENDPOINT)'

  # A controller and a sidecar of another draft, with its CustomResourceDefinitions.
  cosi-emu up --crds ./config/crd --controller-cmd './controller --kubeconfig=$(KUBECONFIG)' \
    --sidecar-cmd './sidecar --kubeconfig=$(KUBECONFIG) --driver=$(COSI_ENDPOINT)'

  # In a script.
  cosi-emu up -d -o json | jq -r .kubeconfig`

func newUp(streams cli.Streams) *cobra.Command {
	var (
		s      start
		detach bool
		output string
	)
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Start an emulator",
		Long: `Start an emulator: a Kubernetes control plane with the COSI kinds, the COSI controller
and sidecar, a fake driver with its S3 store, and default classes. The command prints
all endpoints and runs until Ctrl-C. Then it stops all components and deletes their
files.

With --api v1alpha1, kinds, controller, sidecar and fake driver have version v1alpha1,
which most deployments run.

With --driver-cmd, the emulator starts your own driver in place of the fake driver, and
supervises it. With --driver you start it. A bridge translates for drivers of v1alpha1.

The control plane is etcd, kube-apiserver and kube-controller-manager, from
--control-plane-dir or $KUBEBUILDER_ASSETS, then from the user's cache, then by a
download. If there is none, an API server in this process takes their place: it serves
custom resources, and the built-in kinds that COSI and its users need. 'cosi-emu setup'
gets the programs, if necessary by a build. --control-plane selects one or the other.

With --crds, the API server has the CustomResourceDefinitions of another draft of COSI, for
your own controller and sidecar. If they lack fields that the emulator's own write, the
start names the fields and is rejected. docs/drafts.md has the drafts.

All services listen on 127.0.0.1. With --listen, other machines can connect: everything
then uses TLS, and requires keys. 'up' prints the kubeconfig with the keys of the
administrator, and the Secrets of accesses contain keys and certificate authority of S3.

With --existing-cluster no control plane is started. Controller, sidecar, driver and
store run on this machine against the cluster of the kubeconfig, as the
ServiceAccounts cosi-controller and cosi-sidecar in namespace cosi-system. When 'up'
stops, it deletes its own objects in the cluster, and keeps the objects of users.`,
		Example: upExamples,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cli.CheckOutput(output, cli.FormatText, cli.FormatJSON); err != nil {
				return err
			}
			if err := errors.Join(s.cluster.validate(s.session), s.validateAssume()); err != nil {
				return err
			}
			if detach {
				return upDetached(cmd, streams, s.session.Name, output)
			}
			return s.runUp(cmd.Context(), streams, output)
		},
	}
	cli.AddName(cmd.Flags(), &s.session.Name)
	s.addFlags(cmd.Flags())
	cmd.Flags().StringVar(&s.session.Record, "record", "", "directory for a recording of the whole session, for 'cosi-emu replay --as judge'")
	cmd.Flags().BoolVar(&s.session.ShowPage, "ui", false, "serve a page that shows the emulator live; its URL is printed")
	cmd.Flags().BoolVarP(&detach, "detach", "d", false, "run in the background, and return when the emulator is ready")
	cli.AddOutput(cmd.Flags(), &output, cli.FormatText, cli.FormatJSON)
	cmd.Flags().BoolVar(&s.records, recordsFlag, false, "print the progress for the process that has the terminal")
	_ = cmd.Flags().MarkHidden(recordsFlag) // the flag was added by the previous line
	return cmd
}

// runUp prints all endpoints, and waits.
func (s *start) runUp(ctx context.Context, streams cli.Streams, output string) error {
	return s.run(ctx, streams, func(running *session.Session) error {
		if err := printUp(streams, running.Info(), output, false); err != nil {
			return err
		}
		return running.Wait(ctx)
	})
}
