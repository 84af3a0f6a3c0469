package emulator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/cosi-emu/cosi-emu/bridge"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/emulator/seam"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
)

// externalDriver is a driver that the emulator does not run.
type externalDriver struct {
	name string
	// endpoint is where it speaks v1alpha2: its own, or that of a bridge.
	endpoint string
	// bridge is set if it speaks v1alpha1.
	bridge *Component
	// ids are those of the bridge.
	ids *bridge.Directory
}

// checkDriver asks an external driver for its name, before a component for it starts.
func (e *Emulator) checkDriver(ctx context.Context) error {
	return e.useDriver(ctx, e.opts.Driver)
}

// useDriver makes the driver at an endpoint that of the emulator's sidecar.
func (e *Emulator) useDriver(ctx context.Context, endpoint string) error {
	driver, err := e.identify(ctx, ComponentBridge, endpoint)
	if err != nil {
		return err
	}
	e.info.DriverName, e.info.DriverEndpoint = driver.name, driver.endpoint
	if driver.ids != nil {
		e.onStop(func(context.Context) error { return driver.ids.Close() })
	}
	return nil
}

// identify asks an external driver for its name. If the driver speaks another version of the
// protocol than the emulator's, identify starts a bridge, as a component of that name.
func (e *Emulator) identify(ctx context.Context, component, endpoint string) (*externalDriver, error) {
	who, err := e.askDriver(ctx, endpoint)
	if err != nil {
		return nil, err
	}
	if who.version == e.opts.API {
		if who.other != "" {
			e.warn(fmt.Sprintf("driver %s serves COSI %s and %s; %s is used", who.name, who.version, who.other, who.version))
		}
		return &externalDriver{name: who.name, endpoint: endpoint}, nil
	}
	driver, err := e.startBridge(ctx, component, endpoint)
	if err != nil {
		return nil, err
	}
	options := cosisidecar.Options{Endpoint: driver.endpoint, ConnectTimeout: e.opts.ConnectTimeout, RPCTimeout: e.opts.RPCTimeout}
	if driver.name, err = cosisidecar.GetDriverName(ctx, options); err != nil {
		return nil, errors.Join(err, e.removeBridge(context.WithoutCancel(ctx), driver))
	}
	return driver, nil
}

// startBridge starts a bridge in front of a driver. The IDs that it stores outlive its
// incarnations, and with a data directory the emulator.
func (e *Emulator) startBridge(ctx context.Context, component, endpoint string) (*externalDriver, error) {
	if e.Component(component) != nil {
		return nil, fmt.Errorf("%w: there is a component %q already", ErrOptions, component)
	}
	run, err := filepath.Abs(filepath.Join(e.info.Dir, "run"))
	if err != nil {
		return nil, err
	}
	ids, err := bridge.OpenDirectory(filepath.Join(cmp.Or(e.opts.DataDir, run), component))
	if err != nil {
		return nil, err
	}
	driver := &externalDriver{endpoint: "unix://" + filepath.Join(run, component+".sock"), ids: ids}
	err = e.startComponent(ctx, component, func(_ context.Context, i *seam.Incarnation) (Runner, error) {
		b, err := bridge.New(bridge.Options{Driver: endpoint, DialOptions: i.DialOptions(), ServerOptions: i.ServerOptions(), Store: ids})
		if err != nil {
			return nil, err
		}
		listener, err := fakedriver.Listen(driver.endpoint) //nolint:contextcheck // the probe of a stale socket is bounded by itself
		if err != nil {
			return nil, errors.Join(err, b.Close())
		}
		return server(func(ctx context.Context) error { return errors.Join(b.Serve(ctx, listener), b.Close()) }), nil
	})
	driver.bridge = e.Component(component)
	if err != nil {
		return nil, errors.Join(err, e.removeBridge(context.WithoutCancel(ctx), driver))
	}
	return driver, nil
}

// removeBridge stops the bridge of a driver, if it has one.
func (e *Emulator) removeBridge(ctx context.Context, driver *externalDriver) error {
	if driver.ids == nil {
		return nil
	}
	return errors.Join(e.remove(ctx, driver.bridge), driver.ids.Close())
}
