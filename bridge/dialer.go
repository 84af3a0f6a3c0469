package bridge

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// bufferSize is the size of the buffers of a connection to the bridge in this process.
const bufferSize = 1 << 20

// Dialer connects a v1alpha2 sidecar to a driver of any dialect. A driver that speaks the KEP's is
// connected directly, unless IDs are stored from the time when it spoke another one. For every
// other driver the connection leads to a Bridge in this process. The Dialer asks the driver for its
// dialect for each connection, so that the driver may start later, and restart in another dialect.
type Dialer struct {
	options Options
	open    OpenStore

	mu       sync.Mutex
	last     dialects.Dialect // the latest that was detected
	store    KeyStore
	bridge   *Bridge
	listener *bufconn.Listener
	stop     context.CancelFunc
	served   chan error
	closed   bool
}

// OpenStore opens the store of a driver, once its name is known. If the store does not exist, and
// create is not set, it returns nil: nothing is stored.
type OpenStore func(driverName string, create bool) (KeyStore, error)

// NewDialer returns a Dialer with the options of its Bridge. Their Store is not used, but the one that
// open returns. Close the Dialer after use.
func NewDialer(options Options, open OpenStore) (*Dialer, error) {
	if err := options.ValidateDriver(); err != nil {
		return nil, err
	}
	return &Dialer{options: options.withDefaults(), open: open}, nil
}

// DialContext connects to the driver at an address, or to the bridge in front of it. It is for
// grpc.WithContextDialer.
func (d *Dialer) DialContext(ctx context.Context, address string) (net.Conn, error) {
	// The question follows the direct connection. If another driver answers it, the connection to
	// the first has ended.
	direct, err := dialDriver(ctx, address)
	if err != nil {
		return nil, err
	}
	bridged, err := d.needsBridge(ctx)
	if err == nil && !bridged {
		return direct, nil
	}
	if err := errors.Join(err, direct.Close()); err != nil {
		return nil, err
	}
	listener, err := d.serve() //nolint:contextcheck // the bridge outlives the dialing
	if err != nil {
		return nil, err
	}
	return listener.DialContext(ctx)
}

// Close ends the bridge, if there is one, and its connections.
func (d *Dialer) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	if d.bridge == nil {
		return nil
	}
	d.stop()
	return errors.Join(<-d.served, d.bridge.Close())
}

// dialDriver connects to an address as gRPC passes it to a dialer.
func dialDriver(ctx context.Context, address string) (net.Conn, error) {
	network := "tcp"
	if path, isSocket := strings.CutPrefix(address, "unix:"); isSocket {
		network, address = "unix", strings.TrimPrefix(path, "//")
	}
	return (&net.Dialer{}).DialContext(ctx, network, address)
}

// needsBridge asks the driver. A server that is no driver is left to the sidecar, which reports it.
func (d *Dialer) needsBridge(ctx context.Context) (bool, error) {
	dialect, name, err := d.ask(ctx)
	if status.Code(err) == codes.Unimplemented {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("ask the driver for its dialect: %w", err)
	}
	store, err := d.storeOf(name, dialect != dialects.KEP)
	if err != nil {
		return false, err
	}
	d.report(dialect)
	if dialect != dialects.KEP || store == nil {
		return store != nil, nil
	}
	stored, err := HasIDs(ctx, store)
	if apierrors.IsForbidden(err) { // an account without the right to list has stored nothing
		return false, nil
	}
	return stored, err
}

// ask returns the dialect and the name of the driver.
func (d *Dialer) ask(ctx context.Context) (dialect dialects.Dialect, name string, err error) {
	conn, err := connect(d.options.Driver, d.options.DialOptions)
	if err != nil {
		return "", "", err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if dialect = d.options.Dialect; dialect == "" {
		if dialect, err = dialects.Detect(ctx, conn); err != nil {
			return "", "", err
		}
	}
	info, err := newDriver(dialect, conn, d.options).getInfo(ctx)
	return dialect, info.GetName(), err
}

// storeOf returns the store, which it opens once.
func (d *Dialer) storeOf(driver string, create bool) (store KeyStore, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.store == nil {
		d.store, err = d.open(driver, create)
	}
	return d.store, err
}

// report calls Options.Detected if the dialect has changed.
func (d *Dialer) report(dialect dialects.Dialect) {
	d.mu.Lock()
	changed := dialect != d.last
	d.last = dialect
	d.mu.Unlock()
	if changed && d.options.Detected != nil {
		d.options.Detected(dialect)
	}
}

// serve returns the listener of the bridge, which it starts first.
func (d *Dialer) serve() (*bufconn.Listener, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, grpc.ErrServerStopped
	}
	if d.bridge != nil {
		return d.listener, nil
	}
	options := d.options
	options.Store, options.Detected = d.store, nil // the Dialer has reported the dialect
	b, err := New(options)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	d.bridge, d.listener, d.stop, d.served = b, bufconn.Listen(bufferSize), stop, make(chan error, 1)
	go func() { d.served <- b.Serve(ctx, d.listener) }()
	return d.listener, nil
}
