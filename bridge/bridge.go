package bridge

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/cosi-emu/cosi-emu/internal/tracing"
	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/secretparameters"
)

// Bridge serves COSI v1alpha2 in front of a driver of another dialect. It is safe for
// concurrent use. It has at most one call in flight for each bucket.
type Bridge struct {
	cosiv1alpha2.UnimplementedIdentityServer
	cosiv1alpha2.UnimplementedProvisionerServer

	options   Options
	conn      *grpc.ClientConn
	detection *detection

	buckets, accounts *ids
	turns             turns
	callers           *callers
}

// New returns a Bridge. It does not wait for the driver. A call waits up to a second for a
// connection to the driver, so that a restart need not fail it, and then fails with the
// code UNAVAILABLE. Close the Bridge after use.
func New(options Options) (*Bridge, error) {
	if err := options.Validate(); err != nil {
		return nil, err
	}
	options = options.withDefaults()
	ended := driverConnection{callers: &callers{open: map[*caller]struct{}{}}, detection: &detection{}}
	own := []grpc.DialOption{grpc.WithStatsHandler(ended), grpc.WithPerRPCCredentials(ended.detection)}
	conn, err := connect(options.Driver, slices.Concat(tracing.DialOptions(options.TracerProvider), options.DialOptions, own))
	if err != nil {
		return nil, err
	}
	return &Bridge{
		options: options, conn: conn, callers: ended.callers, detection: ended.detection,
		buckets: &ids{store: options.Store, kind: bucketKind}, accounts: &ids{store: options.Store, kind: accountKind},
		turns: newTurns(),
	}, nil
}

// Register adds the services of the bridge to a gRPC server.
func (b *Bridge) Register(server grpc.ServiceRegistrar) {
	cosiv1alpha2.RegisterIdentityServer(server, b)
	cosiv1alpha2.RegisterProvisionerServer(server, b)
}

// Close ends the connection to the driver. Calls in flight fail.
func (b *Bridge) Close() error { return b.conn.Close() }

// Serve serves the bridge on a listener until ctx is done. Calls in flight are then
// cancelled. It closes the listener. When the connection to the driver ends, Serve ends
// those to the bridge, so that callers notice that the driver restarts.
func (b *Bridge) Serve(ctx context.Context, listener net.Listener) error {
	server := grpc.NewServer(slices.Concat(tracing.ServerOptions(b.options.TracerProvider), b.options.ServerOptions)...)
	b.Register(server)
	stop := context.AfterFunc(ctx, server.Stop)
	defer stop()
	if err := server.Serve(tracked{listener, b.callers}); err != nil && ctx.Err() == nil {
		return fmt.Errorf("serve the bridge: %w", err)
	}
	return nil
}

// ErrGeneration is wrapped by the error of GetDriverName when the driver does not speak
// COSI v1alpha1.
var ErrGeneration = errors.New("it does not serve COSI v1alpha1")

// GetDriverName asks a v1alpha1 driver for its name.
func GetDriverName(ctx context.Context, endpoint string) (name string, err error) {
	conn, err := connect(endpoint, nil)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	info, err := cosiv1alpha1.NewIdentityClient(conn).DriverGetInfo(ctx, &cosiv1alpha1.DriverGetInfoRequest{}, grpc.WaitForReady(true))
	if status.Code(err) == codes.Unimplemented {
		err = fmt.Errorf("%w (service %s): %w", ErrGeneration, cosiv1alpha1.Identity_ServiceDesc.ServiceName, err)
	}
	return info.GetName(), err
}

// connectBackoff is short, because the driver is on the same machine.
var connectBackoff = backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 2 * time.Second}

const connectTimeout = 20 * time.Second

// While a call waits for the connection to the driver, the bridge tries to connect at this
// interval.
const (
	connectPatience = time.Second
	connectInterval = connectPatience / 10
)

// afterConnect makes a call once there is a connection, with the Secret that the sidecar has passed. If there is no
// connection in time, the call fails, as without a bridge.
func afterConnect(
	ctx context.Context, method string, request, reply any, conn *grpc.ClientConn, call grpc.UnaryInvoker, opts ...grpc.CallOption,
) error {
	if _, pinned := ctx.Value(pinKey{}).(int); !pinned { // those have waited before
		awaitReady(ctx, conn)
	}
	return call(secretparameters.Forward(ctx), method, request, reply, conn, opts...)
}

// awaitReady waits up to connectPatience for a connection.
func awaitReady(ctx context.Context, conn *grpc.ClientConn) {
	limited, cancel := context.WithTimeout(ctx, connectPatience)
	defer cancel()
	for state := conn.GetState(); state != connectivity.Ready && state != connectivity.Shutdown && limited.Err() == nil; {
		conn.Connect()
		conn.ResetConnectBackoff()
		state = next(limited, conn, state)
	}
}

// next waits for the state of a connection to change, for connectInterval, and returns it.
func next(ctx context.Context, conn *grpc.ClientConn, state connectivity.State) connectivity.State {
	ctx, cancel := context.WithTimeout(ctx, connectInterval)
	defer cancel()
	conn.WaitForStateChange(ctx, state)
	return conn.GetState()
}

func connect(endpoint string, options []grpc.DialOption) (*grpc.ClientConn, error) {
	conn, err := grpc.NewClient(endpoint, append([]grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithIdleTimeout(0),
		grpc.WithNoProxy(),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: connectBackoff, MinConnectTimeout: connectTimeout}),
		grpc.WithChainUnaryInterceptor(afterConnect),
	}, options...)...)
	if err != nil {
		return nil, fmt.Errorf("driver endpoint %q: %w", endpoint, err)
	}
	return conn, nil
}
