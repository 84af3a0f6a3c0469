package emulator

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	cosicontroller "github.com/cosi-emu/cosi-emu/controller"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/component"
	"github.com/cosi-emu/cosi-emu/internal/externaldriver"
	"github.com/cosi-emu/cosi-emu/internal/seam"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
)

// DriverOptions describe an additional driver: a fake driver, or an external one that already runs.
type DriverOptions struct {
	// Name is the name of a fake driver. The components are called driver.NAME and sidecar.NAME.
	Name string
	// Endpoint is the address of an external driver, unix:///path.sock, or empty for a fake driver.
	// An external driver has its own name. The caller stops it.
	Endpoint string
	// Protocols, AccessModes, SingleBucket and Parameters have the meaning of fakedriver.Options.
	Protocols    []fakedriver.Protocol
	AccessModes  []fakedriver.AccessMode
	SingleBucket bool
	Parameters   map[string]string
}

// AddedDriver is an additional driver with its sidecar.
type AddedDriver struct {
	// Driver is nil if the driver is external.
	Driver, Sidecar *Component
	// DriverName is the name that the driver reports.
	DriverName string

	emulator *Emulator
	listener *redial          // of a fake driver, or of the bridge in front of it
	bridge   *bridgeComponent // of a fake driver
	external *externaldriver.Driver
}

const bufferBytes = 256 << 10

// redial creates an in-memory listener for each incarnation of a driver.
type redial struct {
	current chan *bufconn.Listener // the listener to connect to
}

func newRedial() *redial {
	r := &redial{current: make(chan *bufconn.Listener, 1)}
	r.current <- bufconn.Listen(bufferBytes)
	return r
}

func (r *redial) listen() net.Listener {
	<-r.current
	next := bufconn.Listen(bufferBytes)
	r.current <- next
	return next
}

func (r *redial) dial(ctx context.Context, _ string) (net.Conn, error) {
	l := <-r.current
	r.current <- l
	return l.DialContext(ctx)
}

// AddDriver starts an additional fake driver and its sidecar, or a sidecar for an external driver. A
// fake driver is on the emulator's store, and no other process can call it, because its connection is
// in memory. AddDriver fails if another sidecar of the emulator serves a driver of the same name.
func (e *Emulator) AddDriver(ctx context.Context, opts DriverOptions) (*AddedDriver, error) {
	if opts.Endpoint != "" {
		return e.joinDriver(ctx, opts.Name, opts.Endpoint)
	}
	if e.store == nil {
		return nil, fmt.Errorf("%w: a further fake driver needs the emulator's store", ErrOptions)
	}
	added := &AddedDriver{DriverName: opts.Name, emulator: e, listener: newRedial()}
	name := ComponentDriver + "." + opts.Name
	if e.component(name) != nil {
		return nil, fmt.Errorf("%w: there is a component %q already", ErrOptions, name)
	}
	listener := added.listener
	err := e.startStateful(ctx, name, e.loseDataOf(opts.Name), func(_ context.Context, i *seam.Incarnation) (component.Runner, error) {
		own := fakedriver.Options{
			Name: opts.Name, Protocols: opts.Protocols, AccessModes: opts.AccessModes, SingleBucket: opts.SingleBucket,
			Parameters: opts.Parameters,
		}
		return e.newDriver(own, i, func() (net.Listener, error) { return listener.listen(), nil })
	})
	added.Driver = e.component(name)
	if err == nil && e.opts.BridgesFake() {
		err = added.addBridge(ctx, opts.Protocols)
	}
	if err == nil {
		endpoint := "passthrough:///" + opts.Name
		if added.bridge == nil {
			e.speaks(endpoint, e.fakeDialect())
		}
		added.Sidecar, err = e.AddSidecar(ctx, ComponentSidecar+"."+opts.Name, cosisidecar.Options{
			Endpoint: endpoint, DialOptions: []grpc.DialOption{grpc.WithContextDialer(added.listener.dial)},
		})
	}
	if err != nil {
		return nil, errors.Join(err, added.Remove(context.WithoutCancel(ctx)))
	}
	e.serve(added)
	return added, nil
}

// addDrivers starts the fake drivers of all DriverNames but the first.
func (e *Emulator) addDrivers(ctx context.Context) error {
	for _, name := range e.opts.DriverNames[1:] {
		if _, err := e.AddDriver(ctx, DriverOptions{Name: name, Protocols: e.opts.Protocols}); err != nil {
			return fmt.Errorf("driver %s: %w", name, err)
		}
	}
	return nil
}

// addBridge starts a bridge between a fake driver and its sidecar.
func (a *AddedDriver) addBridge(ctx context.Context, protocols []fakedriver.Protocol) error {
	options, err := a.emulator.opts.ownBridge("passthrough:///"+a.DriverName, protocols)
	if err != nil {
		return err
	}
	own := newRedial()
	options.DialOptions = []grpc.DialOption{grpc.WithContextDialer(a.listener.dial)}
	a.bridge, err = a.emulator.startBridge(ctx, ComponentBridge+"."+a.DriverName, options,
		func() (net.Listener, error) { return own.listen(), nil })
	a.listener = own
	return err
}

// joinDriver starts a sidecar, component sidecar.NAME, for an external driver.
func (e *Emulator) joinDriver(ctx context.Context, name, endpoint string) (*AddedDriver, error) {
	if !isUnixEndpoint(endpoint) {
		return nil, fmt.Errorf("%w: driver endpoint %q must have the form unix:///path/to/driver.sock", ErrOptions, endpoint)
	}
	driver, err := e.connectDriver(ctx, ComponentBridge+"."+name, endpoint, "", detect(endpoint))
	if err != nil {
		return nil, fmt.Errorf("join the driver at %s: %w", endpoint, err)
	}
	joined := &AddedDriver{DriverName: driver.Name(), emulator: e, external: driver}
	for component, served := range e.servedBy() {
		if served == joined.DriverName {
			err := fmt.Errorf("%w: the driver at %s calls itself %q, and %s serves one of that name already",
				ErrOptions, endpoint, served, component)
			return nil, errors.Join(err, driver.RemoveBridge(context.WithoutCancel(ctx)))
		}
	}
	joined.Sidecar, err = e.AddSidecar(ctx, ComponentSidecar+"."+name, driver.SidecarOptions())
	if err != nil {
		return nil, errors.Join(err, driver.RemoveBridge(context.WithoutCancel(ctx)))
	}
	e.serve(joined)
	return joined, nil
}

// serve records which driver an additional sidecar serves.
func (e *Emulator) serve(added *AddedDriver) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.served == nil {
		e.served = map[*Component]string{}
	}
	e.served[added.Sidecar] = added.DriverName
}

// servedBy returns the names of the drivers that the emulator's sidecars serve, by sidecar. It does
// not include sidecars of AddSidecar, because only the caller knows their drivers.
func (e *Emulator) servedBy() map[string]string {
	served := map[string]string{}
	if e.component(ComponentSidecar) != nil {
		served[ComponentSidecar] = e.info.DriverName
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for component, name := range e.served {
		served[component.Name()] = name
	}
	return served
}

// Dial returns a connection to the driver for direct calls. The caller closes it.
func (a *AddedDriver) Dial() (*grpc.ClientConn, error) {
	plain := grpc.WithTransportCredentials(insecure.NewCredentials())
	if a.external != nil {
		return a.external.Client(plain)
	}
	return grpc.NewClient("passthrough:///driver", grpc.WithContextDialer(a.listener.dial), plain)
}

// Remove stops both components, removes them from the emulator, and deletes the metrics of the
// driver.
func (a *AddedDriver) Remove(ctx context.Context) error {
	err := errors.Join(a.emulator.remove(ctx, a.Sidecar), a.emulator.remove(ctx, a.Driver))
	err = errors.Join(err, a.emulator.removeBridge(ctx, a.bridge))
	if a.external != nil {
		err = errors.Join(err, a.external.RemoveBridge(ctx))
	}
	cosisidecar.ForgetDriver(a.DriverName)
	cosicontroller.ForgetDriver(a.DriverName)
	return err
}

func (e *Emulator) remove(ctx context.Context, c *Component) error {
	if c == nil {
		return nil
	}
	err := c.Stop(ctx)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.components = slices.DeleteFunc(e.components, func(other *Component) bool { return other == c })
	e.cleanups = slices.DeleteFunc(e.cleanups, func(u cleanup) bool { return u.of == c })
	delete(e.served, c)
	e.journal.ResetCounts(c.Name())
	return err
}
