package sidecar

import (
	"cmp"
	"time"

	"github.com/go-logr/logr"
	"google.golang.org/grpc"

	"github.com/cosi-emu/cosi-emu/sidecar/driver"
)

// Defaults of the Options that New fills in.
const (
	// DefaultWorkers is how many Buckets, and as many BucketAccesses, are worked
	// on at a time.
	DefaultWorkers = 16
	// DefaultRetryBaseDelay is the delay before the first retry.
	DefaultRetryBaseDelay = 100 * time.Millisecond
	// DefaultRetryMaxDelay is the longest delay between retries.
	DefaultRetryMaxDelay = 2 * time.Minute
)

// disabled is the address that switches a listener of the manager off.
const disabled = "0"

// Options say which driver the sidecar serves and how it runs. Endpoint is
// required.
type Options struct {
	// Endpoint is the driver's address: unix:///path.sock, or any other gRPC
	// target.
	Endpoint string
	// DialOptions are applied to the connection after the sidecar's own.
	DialOptions []grpc.DialOption
	// ConnectTimeout is how long New waits for the driver. Zero means
	// driver.DefaultConnectTimeout.
	ConnectTimeout time.Duration
	// RPCTimeout is the deadline of each call to the driver. Zero means
	// driver.DefaultRPCTimeout.
	RPCTimeout time.Duration

	// Logger takes the sidecar's log. The zero value discards it.
	Logger logr.Logger
	// Workers is how many Buckets, and as many BucketAccesses, are worked on at
	// a time. Zero means DefaultWorkers.
	Workers int
	// RetryBaseDelay is the delay before the first retry; it doubles with each
	// one up to RetryMaxDelay. Zero means the defaults.
	RetryBaseDelay, RetryMaxDelay time.Duration

	// MetricsBindAddress and HealthProbeBindAddress are where metrics and the
	// probes /healthz and /readyz are served. Empty, or 0, means nowhere.
	MetricsBindAddress, HealthProbeBindAddress string

	// LeaderElection has one sidecar of a driver at work at a time, by a Lease in
	// LeaderElectionNamespace. An empty namespace means that of the Pod.
	LeaderElection          bool
	LeaderElectionNamespace string
}

// withDefaults fills in what was left zero.
func (o Options) withDefaults() Options {
	if o.Logger.GetSink() == nil {
		o.Logger = logr.Discard()
	}
	o.Workers = cmp.Or(o.Workers, DefaultWorkers)
	o.RetryBaseDelay = cmp.Or(o.RetryBaseDelay, DefaultRetryBaseDelay)
	o.RetryMaxDelay = cmp.Or(o.RetryMaxDelay, DefaultRetryMaxDelay)
	o.RPCTimeout = cmp.Or(o.RPCTimeout, driver.DefaultRPCTimeout)
	o.MetricsBindAddress = cmp.Or(o.MetricsBindAddress, disabled)
	o.HealthProbeBindAddress = cmp.Or(o.HealthProbeBindAddress, disabled)
	return o
}

// reconcileTimeout bounds one reconcile, which makes at most two calls to the
// driver; the rest is for the API server.
func (o Options) reconcileTimeout() time.Duration { return 2*o.RPCTimeout + time.Minute }
