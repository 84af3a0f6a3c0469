package connection

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/cosi-emu/cosi-emu/internal/tracing"
)

// The driver is on the same machine, so attempts to connect are cheap, and the sidecar waits for
// them. So the back-off is short.
var connectBackoff = backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 2 * time.Second}

// Generation has the generation-specific parts of a connection.
type Generation struct {
	// GetInfo calls DriverGetInfo and validates the answer. It fails with a CallError if the call
	// fails.
	GetInfo func(ctx context.Context, conn grpc.ClientConnInterface) (Info, error)
	// IsFinal reports whether a call that returned the code would always fail.
	IsFinal func(method string, code codes.Code) bool
}

// Info is a driver's answer to DriverGetInfo.
type Info struct {
	// Name of the driver, by which objects refer to it.
	Name string
	// Accept, if set, is called once the answer is confirmed to be the driver's.
	Accept func()
}

// Conn is a connection to a driver with a known name. Its methods are safe for
// concurrent use.
type Conn struct {
	options    Options
	generation Generation
	conn       *grpc.ClientConn
	name       string
	// identified is false from the loss of the connection until the driver has answered
	// DriverGetInfo again. No other call is made in the meantime.
	identified atomic.Bool
	// accepted counts the answers to DriverGetInfo, which are the driver's connections.
	accepted atomic.Uint64
	secrets  *Secrets // nil without parameters that name a Secret
}

// Connect returns a connection to the driver once it has answered DriverGetInfo. It waits up to the
// ConnectTimeout for a driver that does not run yet. An invalid answer is an error at once. Close
// the connection after use.
func Connect(ctx context.Context, options Options, generation Generation) (*Conn, error) {
	if options.Endpoint == "" {
		return nil, errors.New("no driver endpoint given: it is needed to find the driver, for example unix:///var/lib/cosi/cosi.sock")
	}
	options = options.withDefaults()
	c := &Conn{options: options, generation: generation}
	conn, err := grpc.NewClient(options.Endpoint, slices.Concat([]grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: connectBackoff, MinConnectTimeout: options.RPCTimeout}),
		// An idle connection would not notice a restart of the driver.
		grpc.WithIdleTimeout(0),
		grpc.WithNoProxy(),
		grpc.WithChainUnaryInterceptor(c.measure),
	}, tracing.DialOptions(options.TracerProvider), options.DialOptions)...)
	if err != nil {
		return nil, fmt.Errorf("driver endpoint %q: %w", options.Endpoint, err)
	}
	c.conn = conn
	if err := c.identify(ctx); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return c, nil
}

// Close ends the connection. Calls in flight fail.
func (c *Conn) Close() error { return c.conn.Close() }

// Name is the driver's name. It never changes.
func (c *Conn) Name() string { return c.name }

// Client makes the calls of a generated gRPC client.
func (c *Conn) Client() grpc.ClientConnInterface { return c.conn }

// Connected reports whether the driver has answered DriverGetInfo on the current connection.
func (c *Conn) Connected() bool { return c.identified.Load() }

// identify calls DriverGetInfo for the first time.
func (c *Conn) identify(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(ctx, c.options.ConnectTimeout)
	defer cancel()
	info, err := c.awaitInfo(bounded)
	switch {
	case err == nil:
	case ctx.Err() == nil && bounded.Err() != nil:
		return fmt.Errorf("the driver at %s did not answer within %s; is it running, and does it listen there? Last error: %w",
			c.options.Endpoint, c.options.ConnectTimeout, err)
	default:
		return fmt.Errorf("the driver at %s: %w", c.options.Endpoint, err)
	}
	c.name = info.Name
	c.accept(info)
	return nil
}

func (c *Conn) accept(info Info) {
	if info.Accept != nil {
		info.Accept()
	}
	c.accepted.Add(1)
	c.identified.Store(true)
}
