package emulator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"sync"

	"google.golang.org/grpc"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/bridge"
	"github.com/cosi-emu/cosi-emu/internal/subprocess"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
)

// externalDriver is a driver that the emulator does not run. It may restart in another dialect, so
// it is asked after each connection, unless the user has given the dialect.
type externalDriver struct {
	emulator *Emulator
	name     string
	// component is the name of its bridge, and address where the driver listens.
	component, address string
	// ask returns the dialect of the running driver. It is nil if the dialect cannot change.
	ask func(context.Context) (dialects.Dialect, error)
	// spoken, if set, is called with the dialect, and where a client that speaks the emulator's
	// connects, whenever one of them has changed.
	spoken func(dialect dialects.Dialect, endpoint string)

	mu      sync.Mutex
	dialect dialects.Dialect
	bridge  *bridgeComponent // nil if there is none
	socket  string           // of the bridge
}

// checkDriver asks an external driver for its name, before a component for it starts.
func (e *Emulator) checkDriver(ctx context.Context) error {
	if e.opts.Dialect != "" {
		return e.useDriver(ctx, e.opts.Driver, e.opts.Dialect, nil)
	}
	return e.useDriver(ctx, e.opts.Driver, "", detect(e.opts.Driver))
}

// detect returns a function that asks the driver at an endpoint for its dialect.
func detect(endpoint string) func(context.Context) (dialects.Dialect, error) {
	return func(ctx context.Context) (dialects.Dialect, error) { return bridge.Detect(ctx, endpoint) }
}

// useDriver connects the emulator's sidecar to the driver at an endpoint.
func (e *Emulator) useDriver(
	ctx context.Context, endpoint string, known dialects.Dialect, ask func(context.Context) (dialects.Dialect, error),
) error {
	driver, err := e.identify(ctx, &externalDriver{component: ComponentBridge, address: endpoint, ask: ask}, known)
	if err != nil {
		return err
	}
	e.driver, e.info.DriverName = driver, driver.name
	driver.tell(func(dialect dialects.Dialect, endpoint string) {
		e.mu.Lock()
		e.info.DriverEndpoint, e.info.DriverDialect = endpoint, e.describeDialect(dialect)
		e.mu.Unlock()
		if e.opts.DriverChanged != nil {
			e.opts.DriverChanged()
		}
	})
	e.onStop(func(context.Context) error { return driver.close() })
	return nil
}

// identify asks an external driver for its name, and for its dialect unless that is known. If the
// driver speaks another version of the protocol than the emulator's, or another dialect, identify
// starts a bridge.
func (e *Emulator) identify(ctx context.Context, driver *externalDriver, known dialects.Dialect) (*externalDriver, error) {
	driver.emulator = e
	who, err := e.askDriver(ctx, driver.address, known)
	if err != nil {
		return nil, err
	}
	driver.name, driver.dialect = who.Name, who.Dialect
	if who.Other != "" {
		e.warn(fmt.Sprintf("driver %s serves COSI %s and %s; %s is used", who.Name, who.Version, who.Other, who.Version))
	}
	bridged := e.opts.needsBridge(who.Dialect)
	if !bridged && e.opts.needsBridge(dialects.OneMode) {
		if bridged, err = e.storesIDs(ctx, driver.component); err != nil {
			return nil, err
		}
	}
	if !bridged {
		if e.opts.AssumeExisting {
			e.warn(fmt.Sprintf("driver %s serves COSI %s, so it has no bridge that could use existing buckets without a check",
				who.Name, who.Version))
		}
		e.speaks(driver.address, who.Dialect)
		return driver, nil
	}
	if err := driver.startBridge(ctx); err != nil {
		return nil, err
	}
	if driver.name, err = e.question(driver.endpoint(), "").Name(ctx); err != nil {
		return nil, errors.Join(err, driver.removeBridge(context.WithoutCancel(ctx)))
	}
	return driver, nil
}

// storesIDs reports whether the data directory has IDs from the time when a driver spoke another
// dialect.
func (e *Emulator) storesIDs(ctx context.Context, component string) (stores bool, err error) {
	dir := e.bridgeDir(component)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	ids, err := bridge.OpenDirectory(dir)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, ids.Close()) }()
	return bridge.HasIDs(ctx, ids)
}

// startBridge starts the bridge in front of the driver.
func (d *externalDriver) startBridge(ctx context.Context) error {
	socket, err := d.emulator.bridgeSocket(d.component)
	if err != nil {
		return err
	}
	options := bridge.Options{Driver: d.address, AssumeExisting: d.emulator.opts.AssumeExisting, Ask: d.ask, Detected: d.bridged}
	if d.ask == nil {
		options.Dialect = d.dialect
	}
	//nolint:contextcheck // the probe of a stale socket is bounded by itself
	d.bridge, err = d.emulator.startBridge(ctx, d.component, options, listenOn(socket))
	if err == nil {
		d.socket = socket
	}
	return err
}

// bridged is called when the driver behind the bridge has another dialect than before.
func (d *externalDriver) bridged(dialect dialects.Dialect) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.speaks(dialect)
}

// speaks stores and reports the dialect.
func (d *externalDriver) speaks(dialect dialects.Dialect) {
	d.dialect = dialect
	if d.bridge == nil {
		d.emulator.speaks(d.address, dialect)
	}
	if d.spoken != nil {
		d.spoken(dialect, d.endpoint())
	}
}

// endpoint is where a client that speaks the emulator's dialect connects.
func (d *externalDriver) endpoint() string {
	if d.bridge == nil {
		return d.address
	}
	return d.socket
}

// tell sets spoken, and calls it for the first time.
func (d *externalDriver) tell(spoken func(dialect dialects.Dialect, endpoint string)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.spoken = spoken
	d.speaks(d.dialect)
}

// sidecarOptions connect a sidecar to the driver, or to its bridge.
func (d *externalDriver) sidecarOptions() cosisidecar.Options {
	options := cosisidecar.Options{Endpoint: d.endpoint()}
	if d.bridge == nil && d.ask != nil && d.emulator.opts.API != objectstorage.V1alpha1 {
		options.DialOptions = []grpc.DialOption{grpc.WithContextDialer(d.dial)}
	}
	return options
}

// client returns a connection for direct calls in the emulator's dialect.
func (d *externalDriver) client(options ...grpc.DialOption) (*grpc.ClientConn, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return grpc.NewClient(d.endpoint(), options...)
}

// dial connects to the driver. If the driver has restarted in a dialect for which its sidecar needs a
// bridge, dial starts one, and connects to it from then on: it may store IDs.
func (d *externalDriver) dial(ctx context.Context, _ string) (net.Conn, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.bridge == nil {
		// The question follows the connection: if another driver answers, the connection has ended.
		conn, err := dialSocket(ctx, d.address)
		if err != nil {
			return nil, err
		}
		bridged, err := d.needsBridge(ctx)
		if err == nil && !bridged {
			return conn, nil
		}
		if err := errors.Join(err, conn.Close()); err != nil {
			return nil, err
		}
	}
	return dialSocket(ctx, d.socket)
}

// needsBridge asks the driver, and starts the bridge that the answer requires.
func (d *externalDriver) needsBridge(ctx context.Context) (bool, error) {
	dialect, err := d.ask(ctx)
	if err != nil || dialect == d.dialect {
		return false, err
	}
	bridged := d.emulator.opts.needsBridge(dialect)
	if bridged {
		if err := d.startBridge(context.WithoutCancel(ctx)); err != nil {
			return false, err
		}
	}
	d.speaks(dialect)
	return bridged, nil
}

func dialSocket(ctx context.Context, endpoint string) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, "unix", subprocess.SocketPath(endpoint))
}

// close releases the directory of the bridge, which must have stopped.
func (d *externalDriver) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.bridge == nil {
		return nil
	}
	return d.bridge.ids.Close()
}

// removeBridge stops the bridge, if there is one, and releases its directory.
func (d *externalDriver) removeBridge(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.emulator.removeBridge(ctx, d.bridge)
}
