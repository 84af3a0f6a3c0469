package component

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
	sidecarv1alpha1 "github.com/cosi-emu/cosi-emu/sidecar/v1alpha1"
)

// sidecarHelp is the description in the help of 'cosi-emu sidecar'.
const sidecarHelp = `Run the COSI sidecar of a driver: in the driver's Pod with the RBAC rules of
deploy/rbac/sidecar.yaml, or elsewhere with a kubeconfig. The driver may start after
the sidecar. It runs until the process gets SIGTERM.

The sidecar asks the driver for its dialect. It calls a driver of v1alpha1, or of an earlier
dialect of v1alpha2, through a bridge of its own. The bridge keeps the IDs that the driver
chooses in ConfigMaps of the Pod's namespace, or, outside of a Pod, in a directory of the
user. docs/bridge.md has the details.

With --api v1alpha1, it serves the kinds of v1alpha1 and a driver of that version. It
needs the rules of deploy/rbac/v1alpha1/sidecar.yaml in addition.

With --watch-namespaces it serves the accesses of these namespaces and the Buckets of their
claims, and reads no Secrets of others: the rules of deploy/rbac-namespaced suffice. All
sidecars of a driver need the same namespaces.`

const sidecarExample = `  # In a Pod, with the socket on a shared volume; see deploy/example-driver.
  cosi-emu sidecar --leader-elect --leader-election-namespace cosi-system

  # Develop a driver, with an emulator without a driver.
  cosi-emu up -d --no-fake-driver
  eval "$(cosi-emu env)"
  cosi-emu sidecar --endpoint unix:///tmp/my-driver.sock

  # A driver of an earlier dialect, whose IDs are kept in a directory.
  cosi-emu sidecar --endpoint unix:///tmp/my-driver.sock --state-dir ./bridge-state

  # The kinds of v1alpha1, and a driver of that version.
  cosi-emu up -d --api v1alpha1 --no-fake-driver
  cosi-emu sidecar --api v1alpha1 --endpoint unix:///tmp/my-driver.sock`

// driverNameTimeout is the default of --driver-name-timeout. A kubelet restarts a container after three
// failed probes, which are 10 s apart in the manifests, and a waiting sidecar serves no probes.
const driverNameTimeout = 20 * time.Second

// NewSidecar returns the command sidecar.
func NewSidecar(streams cli.Streams) *cobra.Command {
	var (
		common component
		opts   cosisidecar.Options
		bridge sidecarBridge
		ca     string
	)
	cmd := &cobra.Command{
		Use:     "sidecar",
		Short:   "Run the COSI sidecar of a driver",
		Long:    sidecarHelp,
		Example: sidecarExample,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := readCertificates(ca, &opts); err != nil {
				return err
			}
			opts.Metrics = common.metrics.options()
			checkBridge := func() error { return bridge.check(common.api, &opts) }
			log, err := common.start(streams, "sidecar", opts.Validate, checkBridge)
			if err != nil {
				return err
			}
			opts.Logger = log
			var flush func()
			if opts.TracerProvider, flush, err = common.tracing.Start(cmd.Context(), "cosi-sidecar", reportTo(log)); err != nil {
				return err
			}
			defer flush()
			return runSidecar(cmd.Context(), &common.access, common.api, opts, &bridge)
		},
	}
	flags := cmd.Flags()
	cli.AddSecretKeys(flags, &opts.SecretKeys)
	cli.AddSecretParametersFrom(flags, &opts.SecretParametersFrom)
	bridge.addFlags(flags)
	addEndpoint(flags, &opts.Endpoint, "endpoint of the driver")
	flags.DurationVar(&opts.ConnectTimeout, "connect-timeout", cosisidecar.DefaultConnectTimeout,
		"time limit for the first answer of the driver")
	flags.DurationVar(&opts.RPCTimeout, "rpc-timeout", cosisidecar.DefaultRPCTimeout, "time limit for each call to the driver")
	flags.StringVar(&opts.DriverProbeBindAddress, "driver-probe-bind-address", "0",
		"TCP address of /healthz about the driver, such as :9808, for the liveness probe of its container; 0 disables it")
	flags.DurationVar(&opts.DriverProbeTimeout, "driver-probe-timeout", cosisidecar.DefaultDriverProbeTimeout,
		"time limit for the driver's answer to this probe")
	flags.StringVar(&ca, "certificate-authority", "",
		"PEM file with the certificate authority of the object storage, which is added to the Secrets")
	flags.StringVar(&opts.DriverGroup, "driver-group", "",
		"group of the sidecars of one installation; a driver name belongs to one group (default: the Pod's namespace)")
	flags.DurationVar(&opts.DriverNameTimeout, "driver-name-timeout", driverNameTimeout,
		"time for which the sidecar waits, with back-off, for a driver name that belongs to another group; then it exits")
	flags.StringVar(&opts.TakeOver, "take-over", "",
		"group to take the driver name from, if the driver of that group is gone for good")
	common.addFlags(flags, componentOptions{
		strict: &opts.Strict, namespaces: &opts.WatchNamespaces, workers: &opts.Workers, probes: &opts.HealthProbeBindAddress,
		elect: &opts.LeaderElection, namespace: &opts.LeaderElectionNamespace,
		lease: &opts.LeaseDuration, deadline: &opts.RenewDeadline, period: &opts.RetryPeriod,
		baseDelay: &opts.RetryBaseDelay, maxDelay: &opts.RetryMaxDelay,
	}, cosisidecar.DefaultWorkers, cosisidecar.DefaultRetryBaseDelay, cosisidecar.DefaultRetryMaxDelay)
	return cmd
}

func readCertificates(file string, opts *cosisidecar.Options) error {
	if file == "" {
		return nil
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return cli.Usage(fmt.Errorf("flag --certificate-authority: %w", err))
	}
	opts.CertificateAuthority = string(content)
	return nil
}

// sidecars start the sidecars of the versions.
var sidecars = map[objectstorage.Version]func(context.Context, *rest.Config, cosisidecar.Options) (starter, error){
	objectstorage.V1alpha1: func(ctx context.Context, cfg *rest.Config, opts cosisidecar.Options) (starter, error) {
		return sidecarv1alpha1.New(ctx, cfg, opts)
	},
	objectstorage.V1alpha2: func(ctx context.Context, cfg *rest.Config, opts cosisidecar.Options) (starter, error) {
		return cosisidecar.New(ctx, cfg, opts)
	},
}

// starter is a component.
type starter interface {
	Start(ctx context.Context) error
}

func runSidecar(
	ctx context.Context, access *apiAccess, api objectstorage.Version, opts cosisidecar.Options, bridge *sidecarBridge,
) (err error) {
	cfg, err := access.config()
	if err != nil {
		return err
	}
	detach := func() error { return nil }
	if api == objectstorage.V1alpha2 {
		if detach, err = bridge.attach(cfg, &opts); err != nil {
			return err
		}
	}
	defer func() { err = errors.Join(err, detach()) }()
	s, err := sidecars[api](ctx, cfg, opts)
	if err != nil {
		return err
	}
	return s.Start(ctx)
}
