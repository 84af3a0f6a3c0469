package command

import (
	"cmp"
	"os"
	"time"

	"github.com/spf13/pflag"

	"github.com/cosi-emu/cosi-emu/controller"
)

// defaultEndpoint is where a driver listens by the COSI specification.
const defaultEndpoint = "unix:///var/lib/cosi/cosi.sock"

// addEndpoint adds the flag for the socket between driver and sidecar, which both
// of them are told by the same environment variable.
func addEndpoint(flags *pflag.FlagSet, endpoint *string, usage string) {
	flags.StringVar(endpoint, "endpoint", cmp.Or(os.Getenv("COSI_ENDPOINT"), defaultEndpoint),
		usage+" (default: $COSI_ENDPOINT, then "+defaultEndpoint+")")
	flags.Lookup("endpoint").DefValue = "" // the environment of whoever asks for help says nothing
}

// component is where the options of controller and sidecar are that have the same
// flags.
type component struct {
	metrics, probes         *string
	elect                   *bool
	namespace               *string
	lease, deadline, period *time.Duration
	baseDelay, maxDelay     *time.Duration
}

func (c component) addFlags(flags *pflag.FlagSet, baseDelay, maxDelay time.Duration) {
	flags.StringVar(c.metrics, "metrics-bind-address", "0", "TCP address of the endpoint /metrics; 0 for none")
	flags.StringVar(c.probes, "health-probe-bind-address", "0", "TCP address of the endpoints /healthz and /readyz; 0 for none")
	flags.BoolVar(c.elect, "leader-elect", false, "wait until this instance holds the Lease")
	flags.StringVar(c.namespace, "leader-election-namespace", "", "namespace of the Lease (default: that of the Pod)")
	flags.DurationVar(c.lease, "leader-election-lease-duration", controller.DefaultLeaseDuration,
		"how long the others wait for a holder that is silent")
	flags.DurationVar(c.deadline, "leader-election-renew-deadline", controller.DefaultRenewDeadline,
		"how long the holder tries to renew it until it ends")
	flags.DurationVar(c.period, "leader-election-retry-period", controller.DefaultRetryPeriod,
		"time between two tries to get or renew the Lease")
	flags.DurationVar(c.baseDelay, "retry-base-delay", baseDelay, "delay before the first retry; it doubles with each further one")
	flags.DurationVar(c.maxDelay, "retry-max-delay", maxDelay, "longest delay between retries")
}
