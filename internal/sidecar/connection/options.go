package connection

import (
	"cmp"
	"time"

	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"
)

const (
	// DefaultConnectTimeout is the default wait of Connect for the driver. A driver may start after
	// its sidecar.
	DefaultConnectTimeout = 2 * time.Minute

	// DefaultRPCTimeout is the default deadline of each call.
	DefaultRPCTimeout = 30 * time.Second
)

// Options are the driver's address and the timeouts.
type Options struct {
	// Endpoint is the driver's address: unix:///path.sock, or any other gRPC target.
	Endpoint string
	// DialOptions are applied after the package's own and override them.
	DialOptions []grpc.DialOption
	// TracerProvider receives a span for each call. Default: none.
	TracerProvider trace.TracerProvider
	// ConnectTimeout limits the wait of Connect for the driver's first answer. Zero means
	// DefaultConnectTimeout.
	ConnectTimeout time.Duration
	// RPCTimeout is the deadline of each call. Zero means DefaultRPCTimeout.
	RPCTimeout time.Duration
}

func (o Options) withDefaults() Options {
	o.ConnectTimeout = cmp.Or(o.ConnectTimeout, DefaultConnectTimeout)
	o.RPCTimeout = cmp.Or(o.RPCTimeout, DefaultRPCTimeout)
	return o
}
