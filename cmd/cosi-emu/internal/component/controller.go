package component

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	cosicontroller "github.com/cosi-emu/cosi-emu/controller"
	controllerv1alpha1 "github.com/cosi-emu/cosi-emu/controller/v1alpha1"
)

// NewController returns the command controller.
func NewController(streams cli.Streams) *cobra.Command {
	var (
		common component
		opts   cosicontroller.Options
	)
	cmd := &cobra.Command{
		Use:   "controller",
		Short: "Run the COSI controller on a cluster",
		Long: `Run the COSI controller against the API server of a cluster: in a Pod with the RBAC
rules of deploy/rbac/controller.yaml, or elsewhere with a kubeconfig. The COSI kinds
must be installed in the version of --api; a cluster has the kinds of one version. It runs
until the process gets SIGTERM.

With --watch-namespaces it serves the claims and accesses of these namespaces only, and
needs no right in others: the rules of deploy/rbac-namespaced suffice.`,
		Example: `  # In a Pod; see deploy/controller.
  cosi-emu controller --leader-elect --metrics-bind-address :8443

  # On a laptop, instead of the controller of the cluster.
  cosi-emu controller --context kind-kind --leader-elect --leader-election-namespace cosi-system

  # With the rights of two namespaces.
  cosi-emu controller --leader-elect --watch-namespaces team-a,team-b

  # In a cluster with the COSI kinds of v1alpha1.
  cosi-emu controller --api v1alpha1 --context kind-kind`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts.Metrics = common.metrics.options()
			log, err := common.start(streams, "controller", opts.Validate)
			if err != nil {
				return err
			}
			opts.Logger = log
			var flush func()
			if opts.TracerProvider, flush, err = common.tracing.Start(cmd.Context(), "cosi-controller", reportTo(log)); err != nil {
				return err
			}
			defer flush()
			return runController(cmd.Context(), &common.access, common.api, opts)
		},
	}
	common.addFlags(cmd.Flags(), componentOptions{
		strict: &opts.Strict, namespaces: &opts.WatchNamespaces, workers: &opts.Workers, probes: &opts.HealthProbeBindAddress,
		elect: &opts.LeaderElection, namespace: &opts.LeaderElectionNamespace,
		lease: &opts.LeaseDuration, deadline: &opts.RenewDeadline, period: &opts.RetryPeriod,
		baseDelay: &opts.RetryBaseDelay, maxDelay: &opts.RetryMaxDelay,
	}, cosicontroller.DefaultWorkers, cosicontroller.DefaultRetryBaseDelay, cosicontroller.DefaultRetryMaxDelay)
	return cmd
}

func runController(ctx context.Context, access *apiAccess, api objectstorage.Version, opts cosicontroller.Options) error {
	cfg, err := access.config()
	if err != nil {
		return err
	}
	var c interface {
		Start(ctx context.Context) error
	}
	switch api {
	case objectstorage.V1alpha1:
		c, err = controllerv1alpha1.New(cfg, opts) //nolint:contextcheck // it is bounded by itself
	default:
		c, err = cosicontroller.New(cfg, opts) //nolint:contextcheck // it is bounded by itself
	}
	if err != nil {
		return err
	}
	return c.Start(ctx)
}

// validate makes invalid values of flags usage errors.
func validate(checks ...func() error) error {
	var errs []error
	for _, check := range checks {
		errs = append(errs, check())
	}
	if err := errors.Join(errs...); err != nil {
		return cli.Usage(err)
	}
	return nil
}
