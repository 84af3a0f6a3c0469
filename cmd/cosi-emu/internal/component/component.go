package component

import (
	"cmp"
	"os"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/pflag"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/cli"
	"github.com/cosi-emu/cosi-emu/cmd/cosi-emu/internal/telemetry"
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

// component has the flags that controller and sidecar have in common.
type component struct {
	access  apiAccess
	log     logging
	metrics metricsFlags
	tracing telemetry.Flags
	api     objectstorage.Version
}

// componentOptions are the options of a controller or a sidecar that its flags set.
type componentOptions struct {
	strict                  *bool
	namespaces              *[]string
	workers                 *int
	probes                  *string
	elect                   *bool
	namespace               *string
	lease, deadline, period *time.Duration
	baseDelay, maxDelay     *time.Duration
}

// start validates the flags, and sets up the logs. It returns the options that no flag sets directly.
func (c *component) start(
	streams cli.Streams, name string, validateOptions ...func() error,
) (log logr.Logger, err error) {
	if err := validate(append([]func() error{c.access.validate, c.log.validate, c.tracing.Validate}, validateOptions...)...); err != nil {
		return log, err
	}
	c.log.set(streams)
	return ctrl.Log.WithName(name), nil
}

// probeAddress is upstream's default in a Pod. Outside, the components would conflict over the
// port.
func probeAddress(podNamespace string) string {
	if podNamespace == "" {
		return "0"
	}
	return ":8081"
}

func (c *component) addFlags(flags *pflag.FlagSet, o componentOptions, workers int, baseDelay, maxDelay time.Duration) {
	cli.AddStrict(flags, o.strict)
	c.access.addFlags(flags)
	c.log.addFlags(flags)
	c.log.addZapFlags(flags)
	c.metrics.addFlags(flags)
	c.tracing.Add(flags)
	c.api = objectstorage.V1alpha2
	cli.AddAPI(flags, &c.api, "version of the COSI kinds, v1alpha1 or v1alpha2")
	flags.StringSliceVar(o.namespaces, "watch-namespaces", nil,
		"comma-separated namespaces to serve; objects of others are neither read nor changed, and the rights of deploy/rbac-namespaced suffice "+
			"(default: all namespaces)")
	flags.IntVar(o.workers, "workers", workers, "number of objects of each kind that are reconciled at the same time")
	flags.StringVar(o.probes, "health-probe-bind-address", probeAddress(cosimanager.PodNamespace()),
		"TCP address of /healthz and /readyz; 0 disables them (default: :8081 in a Pod, otherwise 0)")
	flags.Lookup("health-probe-bind-address").DefValue = "" // the help must not depend on the environment
	flags.BoolVar(o.elect, "leader-elect", false, "enable leader election")
	flags.StringVar(o.namespace, "leader-election-namespace", "", "namespace of the Lease (default: the Pod's namespace)")
	flags.DurationVar(o.lease, "leader-election-lease-duration", cosicontroller.DefaultLeaseDuration,
		"duration after which other instances acquire a Lease that is not renewed")
	flags.DurationVar(o.deadline, "leader-election-renew-deadline", cosicontroller.DefaultRenewDeadline,
		"time limit for the holder to renew the Lease before it exits")
	flags.DurationVar(o.period, "leader-election-retry-period", cosicontroller.DefaultRetryPeriod,
		"time between attempts to acquire or renew the Lease")
	flags.DurationVar(o.baseDelay, "retry-base-delay", baseDelay, "delay before the first retry; it doubles with each retry")
	flags.DurationVar(o.maxDelay, "retry-max-delay", maxDelay, "longest delay between retries")
}
