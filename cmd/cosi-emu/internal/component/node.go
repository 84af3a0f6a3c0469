package component

import (
	"cmp"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/internal/node"
	"github.com/cosi-emu/cosi-emu/internal/node/volume"
	cosimanager "github.com/cosi-emu/cosi-emu/internal/reconcile/manager"
)

const nodeHelp = `Run the node adapter of a node, a CSI driver with Identity and Node services: Pods get
the credentials of their BucketAccesses as files, in ephemeral inline volumes. It is
experimental.

A Pod waits until its access is ready. Its files follow the Secret, and its access is
not revoked while the Pod exists. The adapter reads accesses and Secrets with the
ServiceAccount token of the Pod, so the rights of the Pod decide. It runs in the
DaemonSet of deploy/node, registers itself with the kubelet, and runs until the process
gets SIGTERM. docs/node.md has the attributes of volumes, and the files.`

const nodeExample = `  # In a Pod of the DaemonSet; see deploy/node.
  cosi-emu node --node-name "$NODE_NAME" --medium memory

  # Without a kubelet, for a program that calls CSI itself.
  cosi-emu node --context kind-kind --node-name laptop --registration-dir "" \
    --endpoint unix:///tmp/cosi-node/csi.sock --state-dir /tmp/cosi-node/volumes --medium disk`

// nodeCommand has the flags of the command node.
type nodeCommand struct {
	access  apiAccess
	log     logging
	metrics metricsFlags
	options node.Options
	medium  string
}

// NewNode returns the command node.
func NewNode(streams cli.Streams) *cobra.Command {
	n := &nodeCommand{}
	cmd := &cobra.Command{
		Use:     "node",
		Short:   "Run the node adapter, a CSI driver (experimental)",
		Long:    nodeHelp,
		Example: nodeExample,
		RunE:    func(cmd *cobra.Command, _ []string) error { return n.run(cmd, streams) },
	}
	n.addFlags(cmd.Flags())
	return cmd
}

func (n *nodeCommand) addFlags(flags *pflag.FlagSet) {
	o := &n.options
	n.access.addFlags(flags)
	n.log.addFlags(flags)
	n.log.addZapFlags(flags)
	n.metrics.addFlags(flags)
	o.API = objectstorage.V1alpha2
	cli.AddAPI(flags, &o.API, "version of the COSI kinds, v1alpha1 or v1alpha2")
	flags.StringVar(&o.Endpoint, "endpoint", node.DefaultEndpoint, "UNIX socket of the CSI services; the kubelet needs the same path")
	flags.StringVar(&o.RegistrationDir, "registration-dir", node.DefaultRegistrationDir,
		"directory in which the kubelet looks for plugins; empty for no registration")
	flags.StringVar(&o.DriverName, "driver-name", node.DefaultDriverName,
		"name of the CSI driver, as in the CSIDriver and the volumes of Pods")
	flags.StringVar(&o.NodeName, "node-name", nodeName(), "name of the Node (default: $NODE_NAME, then the name of this host)")
	flags.Lookup("node-name").DefValue = "" // the help must not depend on the host
	flags.StringVar(&o.StateDir, "state-dir", node.DefaultStateDir, "directory with the records of the volumes, without credentials")
	flags.StringVar(&n.medium, "medium", "",
		"place of the files, memory (a tmpfs for each volume) or disk (default: memory if root runs the adapter on Linux, otherwise disk)")
	flags.DurationVar(&o.ReadyTimeout, "ready-timeout", node.DefaultReadyTimeout,
		"time limit for an access to become ready, until a call fails with the cause; the kubelet repeats it")
	flags.DurationVar(&o.SweepInterval, "sweep-interval", node.DefaultSweepInterval,
		"time between two searches for volumes of Pods that have gone without a call")
	flags.StringVar(&o.HealthProbeBindAddress, "health-probe-bind-address", probeAddress(cosimanager.PodNamespace()),
		"TCP address of /healthz and /readyz; 0 disables them (default: :8081 in a Pod, otherwise 0)")
	flags.Lookup("health-probe-bind-address").DefValue = "" // the help must not depend on the environment
}

// nodeName returns the default of --node-name. A kubelet names its Node by the host in lower case.
func nodeName() string {
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	return cmp.Or(os.Getenv("NODE_NAME"), strings.ToLower(host))
}

func (n *nodeCommand) run(cmd *cobra.Command, streams cli.Streams) error {
	n.options.Medium = volume.MediumKind(n.medium)
	n.options.Metrics = n.metrics.options()
	if err := validate(n.access.validate, n.log.validate, n.options.Validate); err != nil {
		return err
	}
	n.log.set(streams)
	n.options.Logger = ctrl.Log.WithName("node")
	cfg, err := n.access.config()
	if err != nil {
		return err
	}
	adapter, err := node.New(cfg, n.options)
	if err != nil {
		return err
	}
	return adapter.Start(cmd.Context())
}
