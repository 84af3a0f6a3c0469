package emulator

import (
	"context"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/cosi-emu/cosi-emu/sidecar"
)

// JoinDriver starts a sidecar, as component sidecar.NAME, for somebody's driver
// that runs already at an endpoint, unix:///path.sock. What the driver calls itself
// is DriverName of what is returned; it is an error if another sidecar of the
// emulator serves a driver of that name. The driver stays the caller's to stop.
func (e *Emulator) JoinDriver(ctx context.Context, name, endpoint string) (*AddedDriver, error) {
	if !isUnixEndpoint(endpoint) {
		return nil, fmt.Errorf("%w: driver endpoint %q must have the form unix:///path/to/driver.sock", ErrOptions, endpoint)
	}
	driverName, err := sidecar.GetDriverName(ctx, sidecar.Options{
		Endpoint: endpoint, ConnectTimeout: e.opts.ConnectTimeout, RPCTimeout: e.opts.RPCTimeout,
	})
	if err != nil {
		return nil, fmt.Errorf("join the driver at %s: %w", endpoint, err)
	}
	joined := &AddedDriver{DriverName: driverName, emulator: e, endpoint: endpoint}
	for component, served := range e.Served() {
		if served == joined.DriverName {
			return nil, fmt.Errorf("%w: the driver at %s calls itself %q, and %s serves one of that name already",
				ErrOptions, endpoint, served, component)
		}
	}
	joined.Sidecar, err = e.AddSidecar(ctx, ComponentSidecar+"."+name, sidecar.Options{Endpoint: endpoint})
	if err != nil {
		return nil, err
	}
	e.serve(joined)
	return joined, nil
}

// serve remembers which driver a further sidecar is of.
func (e *Emulator) serve(added *AddedDriver) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.served == nil {
		e.served = map[*Component]string{}
	}
	e.served[added.Sidecar] = added.DriverName
}

// Served returns the names of the drivers that sidecars of the emulator serve, by
// the names of these components. Those that were added with AddSidecar are not
// among them: their drivers are the caller's to know.
func (e *Emulator) Served() map[string]string {
	served := map[string]string{}
	if e.Component(ComponentSidecar) != nil {
		served[ComponentSidecar] = e.info.DriverName
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for component, name := range e.served {
		served[component.Name()] = name
	}
	return served
}

// Dial returns a connection to the driver, as a sidecar has it, for whoever wants
// to call it directly. The caller closes it.
func (a *AddedDriver) Dial() (*grpc.ClientConn, error) {
	plain := grpc.WithTransportCredentials(insecure.NewCredentials())
	if a.endpoint != "" {
		return grpc.NewClient(a.endpoint, plain)
	}
	return grpc.NewClient("passthrough:///driver", grpc.WithContextDialer(a.listener.dial), plain)
}
