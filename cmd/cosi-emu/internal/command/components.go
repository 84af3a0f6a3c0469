package command

import (
	"fmt"
	"math"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.uber.org/zap/zapcore"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/cosi-emu/cosi-emu/controller"
	"github.com/cosi-emu/cosi-emu/sidecar"
	"github.com/cosi-emu/cosi-emu/sidecar/driver"
)

// defaultEndpoint is where a driver listens by the COSI specification.
const defaultEndpoint = "unix:///var/lib/cosi/cosi.sock"

// cluster holds the flags by which a component finds its API server.
type cluster struct {
	kubeconfig string
	qps        float32
	verbosity  int
}

func (c *cluster) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&c.kubeconfig, "kubeconfig", "", "kubeconfig file (default: the Pod's ServiceAccount, then $KUBECONFIG)")
	flags.Float32Var(&c.qps, "kube-api-qps", 100, "limit of requests to the API server in a second")
	flags.IntVarP(&c.verbosity, "verbosity", "v", 0, "how detailed the log is")
}

func (c *cluster) config() (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = c.kubeconfig
	cfg, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{}).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("find the API server: %w; give --kubeconfig, or run in a Pod", err)
	}
	cfg.QPS, cfg.Burst = c.qps, int(2*c.qps)
	return cfg, nil
}

// setLogger makes the libraries, too, log as JSON to standard error.
func (c *cluster) setLogger(streams Streams) {
	logger := zap.New(zap.WriteTo(streams.Err), zap.Level(zapcore.Level(-min(c.verbosity, math.MaxInt8)))) //nolint:gosec // it fits
	ctrl.SetLogger(logger)
	klog.SetLogger(logger)
}

func newController(streams Streams) *cobra.Command {
	var (
		c    cluster
		opts controller.Options
	)
	cmd := &cobra.Command{
		Use:   "controller",
		Short: "Run the COSI controller alone, for a cluster",
		Long: `Run the COSI controller against the API server of a cluster: in a Pod with the
rights of deploy/rbac/controller.yaml, or from anywhere with a kubeconfig. The
COSI kinds must be installed. It runs until it is told to stop.`,
		Example: `  cosi-emu controller --leader-elect --health-probe-bind-address :8081`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := c.config()
			if err != nil {
				return err
			}
			c.setLogger(streams)
			opts.Logger = ctrl.Log.WithName("controller")
			component, err := controller.New(cfg, opts)
			if err != nil {
				return err
			}
			return component.Start(cmd.Context())
		},
	}
	flags := cmd.Flags()
	c.addFlags(flags)
	flags.IntVar(&opts.Workers, "workers", controller.DefaultWorkers, "how many objects of each kind are worked on at the same time")
	addComponentFlags(flags, &opts.MetricsBindAddress, &opts.HealthProbeBindAddress,
		&opts.LeaderElection, &opts.LeaderElectionNamespace, &opts.RetryMaxDelay)
	return cmd
}

func newSidecar(streams Streams) *cobra.Command {
	var (
		c    cluster
		opts sidecar.Options
	)
	cmd := &cobra.Command{
		Use:   "sidecar",
		Short: "Run a COSI sidecar alone, beside a driver",
		Long: `Run a COSI sidecar beside a driver: in its Pod with the rights of
deploy/rbac/sidecar.yaml, or from anywhere with a kubeconfig. The driver may
start later than the sidecar. It runs until it is told to stop.`,
		Example: `  # In a Pod, with the socket on a volume that both containers share.
  cosi-emu sidecar --leader-elect

  # A driver that is being developed, against an emulator without one.
  cosi-emu up -d --no-fake-driver
  eval "$(cosi-emu env)"
  cosi-emu sidecar --endpoint unix:///tmp/my-driver.sock`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := c.config()
			if err != nil {
				return err
			}
			c.setLogger(streams)
			opts.Logger = ctrl.Log.WithName("sidecar")
			component, err := sidecar.New(cmd.Context(), cfg, opts)
			if err != nil {
				return err
			}
			return component.Start(cmd.Context())
		},
	}
	flags := cmd.Flags()
	c.addFlags(flags)
	flags.StringVar(&opts.Endpoint, "endpoint", endpointFromEnvironment(),
		"endpoint of the driver (default: $COSI_ENDPOINT, then "+defaultEndpoint+")")
	flags.Lookup("endpoint").DefValue = "" // the environment of whoever asks for help says nothing
	flags.DurationVar(&opts.ConnectTimeout, "connect-timeout", driver.DefaultConnectTimeout, "how long the driver may take until it answers")
	flags.DurationVar(&opts.RPCTimeout, "rpc-timeout", driver.DefaultRPCTimeout, "limit for each call to the driver")
	flags.IntVar(&opts.Workers, "workers", sidecar.DefaultWorkers, "how many objects of each kind are worked on at the same time")
	addComponentFlags(flags, &opts.MetricsBindAddress, &opts.HealthProbeBindAddress,
		&opts.LeaderElection, &opts.LeaderElectionNamespace, &opts.RetryMaxDelay)
	return cmd
}

func endpointFromEnvironment() string {
	if endpoint := os.Getenv("COSI_ENDPOINT"); endpoint != "" {
		return endpoint
	}
	return defaultEndpoint
}

// addComponentFlags adds the flags that controller and sidecar have in common.
func addComponentFlags(flags *pflag.FlagSet, metrics, probes *string, elect *bool, namespace *string, maxDelay *time.Duration) {
	flags.StringVar(metrics, "metrics-bind-address", "0", "TCP address of the metrics endpoint; 0 for none")
	flags.StringVar(probes, "health-probe-bind-address", "0", "TCP address of the endpoints /healthz and /readyz; 0 for none")
	flags.BoolVar(elect, "leader-elect", false, "wait until this instance holds the Lease")
	flags.StringVar(namespace, "leader-election-namespace", "", "namespace of the Lease (default: that of the Pod)")
	flags.DurationVar(maxDelay, "retry-max-delay", 2*time.Minute, "longest delay between retries")
}
