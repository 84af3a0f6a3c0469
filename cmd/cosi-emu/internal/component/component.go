package component

import (
	"cmp"
	"os"
	"time"

	"github.com/spf13/pflag"

	cosicontroller "github.com/cosi-emu/cosi-emu/controller"
	cosimanager "github.com/cosi-emu/cosi-emu/internal/reconcile/manager"
)

// defaultEndpoint is the driver's socket in the COSI specification.
const defaultEndpoint = "unix:///var/lib/cosi/cosi.sock"

// addEndpoint adds the flag for the socket between driver and sidecar. Both read the
// same environment variable.
func addEndpoint(flags *pflag.FlagSet, endpoint *string, usage string) {
	flags.StringVar(endpoint, "endpoint", cmp.Or(os.Getenv("COSI_ENDPOINT"), defaultEndpoint),
		usage+" (default: $COSI_ENDPOINT, then "+defaultEndpoint+")")
	flags.Lookup("endpoint").DefValue = "" // the help must not depend on the environment
}

// component has the options that controller and sidecar have in common.
type component struct {
	workers                 *int
	metrics                 *metricsFlags
	probes                  *string
	elect                   *bool
	namespace               *string
	lease, deadline, period *time.Duration
	baseDelay, maxDelay     *time.Duration
}

// probeAddress is upstream's default in a Pod. Outside, the components would conflict over the
// port.
func probeAddress(podNamespace string) string {
	if podNamespace == "" {
		return "0"
	}
	return ":8081"
}

func (c component) addFlags(flags *pflag.FlagSet, workers int, baseDelay, maxDelay time.Duration) {
	flags.IntVar(c.workers, "workers", workers, "number of objects of each kind that are reconciled at the same time")
	c.metrics.addFlags(flags)
	flags.StringVar(c.probes, "health-probe-bind-address", probeAddress(cosimanager.PodNamespace()),
		"TCP address of /healthz and /readyz; 0 disables them (default: :8081 in a Pod, otherwise 0)")
	flags.Lookup("health-probe-bind-address").DefValue = "" // the help must not depend on the environment
	flags.BoolVar(c.elect, "leader-elect", false, "enable leader election")
	flags.StringVar(c.namespace, "leader-election-namespace", "", "namespace of the Lease (default: the Pod's namespace)")
	flags.DurationVar(c.lease, "leader-election-lease-duration", cosicontroller.DefaultLeaseDuration,
		"duration after which other instances acquire a Lease that is not renewed")
	flags.DurationVar(c.deadline, "leader-election-renew-deadline", cosicontroller.DefaultRenewDeadline,
		"time limit for the holder to renew the Lease before it exits")
	flags.DurationVar(c.period, "leader-election-retry-period", cosicontroller.DefaultRetryPeriod,
		"time between attempts to acquire or renew the Lease")
	flags.DurationVar(c.baseDelay, "retry-base-delay", baseDelay, "delay before the first retry; it doubles with each retry")
	flags.DurationVar(c.maxDelay, "retry-max-delay", maxDelay, "longest delay between retries")
}
