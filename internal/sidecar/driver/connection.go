package driver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosimetrics "github.com/cosi-emu/cosi-emu/internal/reconcile/metrics"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// Attempts to connect are cheap, because the driver is on the same machine, and the
// sidecar waits for them. So the back-off is short.
var connectBackoff = backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 2 * time.Second}

// Driver is a connection to a COSI driver with a known name. Its methods are safe for
// concurrent use.
type Driver struct {
	options     Options
	conn        *grpc.ClientConn
	identity    cosiv1alpha2.IdentityClient
	provisioner cosiv1alpha2.ProvisionerClient

	name      string
	protocols atomic.Pointer[[]v1alpha2.Protocol]
	// identified is false from the loss of the connection until the driver has
	// answered DriverGetInfo again. No other call is made in the meantime.
	identified atomic.Bool
}

// Connect returns a connection to the driver once it has answered DriverGetInfo. It
// waits up to the ConnectTimeout for a driver that does not run yet. An invalid
// answer is an error at once. Close the connection after use.
func Connect(ctx context.Context, options Options) (*Driver, error) {
	if options.Endpoint == "" {
		return nil, errors.New("no driver endpoint given: it is needed to find the driver, for example unix:///var/lib/cosi/cosi.sock")
	}
	if err := cosimetrics.Register(callSeconds, callErrors); err != nil {
		return nil, err
	}
	options = options.withDefaults()
	d := &Driver{options: options}
	conn, err := grpc.NewClient(options.Endpoint, append([]grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: connectBackoff, MinConnectTimeout: options.RPCTimeout}),
		// An idle connection would not notice a restart of the driver.
		grpc.WithIdleTimeout(0),
		grpc.WithNoProxy(),
		grpc.WithChainUnaryInterceptor(d.measure),
	}, options.DialOptions...)...)
	if err != nil {
		return nil, fmt.Errorf("driver endpoint %q: %w", options.Endpoint, err)
	}
	d.conn, d.identity, d.provisioner = conn, cosiv1alpha2.NewIdentityClient(conn), cosiv1alpha2.NewProvisionerClient(conn)
	if err := d.identify(ctx); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return d, nil
}

// Close ends the connection. Calls in flight fail.
func (d *Driver) Close() error { return d.conn.Close() }

// Name is the driver's name. It never changes.
func (d *Driver) Name() string { return d.name }

// Connected reports whether there is a connection to the driver on which it has
// answered DriverGetInfo.
func (d *Driver) Connected() bool { return d.identified.Load() }

// Protocols returns the protocols that the driver serves. They may change when the
// driver restarts. The caller owns the slice.
func (d *Driver) Protocols() []v1alpha2.Protocol { return slices.Clone(*d.protocols.Load()) }

// identify calls DriverGetInfo for the first time.
func (d *Driver) identify(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(ctx, d.options.ConnectTimeout)
	defer cancel()
	info, err := d.awaitInfo(bounded)
	switch {
	case err == nil:
	case ctx.Err() == nil && bounded.Err() != nil:
		return fmt.Errorf("the driver at %s did not answer within %s; is it running, and does it listen there? Last error: %w",
			d.options.Endpoint, d.options.ConnectTimeout, err)
	default:
		return fmt.Errorf("the driver at %s: %w", d.options.Endpoint, err)
	}
	d.name = info.Name
	d.protocols.Store(&info.Protocols)
	d.identified.Store(true)
	return nil
}
