package sidecar

import (
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

func (o Options) withDefaults() Options {
	if o.Logger.GetSink() == nil {
		o.Logger = logr.Discard()
	}
	if o.Workers <= 0 {
		o.Workers = DefaultWorkers
	}
	if o.RetryBaseDelay <= 0 {
		o.RetryBaseDelay = DefaultRetryBaseDelay
	}
	if o.RetryMaxDelay <= 0 {
		o.RetryMaxDelay = DefaultRetryMaxDelay
	}
	if o.RPCTimeout <= 0 {
		o.RPCTimeout = driver.DefaultRPCTimeout
	}
	if o.MetricsBindAddress == "" {
		o.MetricsBindAddress = "0"
	}
	return o
}

// reconcileTimeout bounds one reconcile, which makes at most two calls to the
// driver; the rest is for the API server.
func (o Options) reconcileTimeout() time.Duration { return 2*o.RPCTimeout + time.Minute }
