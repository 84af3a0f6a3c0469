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
	driver, err := e.identify(ctx, ComponentBridge, e.opts.Driver)
	if err != nil {
		return err
	}
	e.info.DriverName, e.info.DriverEndpoint = driver.name, driver.endpoint
	if driver.ids != nil {
		e.onStop(func(context.Context) error { return driver.ids.Close() })
	}
	return nil
}

// identify asks an external driver for its name.
func (e *Emulator) identify(ctx context.Context, bridge, endpoint string) (*externalDriver, error) {
	return e.generation().identify(e, ctx, bridge, endpoint)
}

// identifyV1alpha2 asks an external driver for its name. If the driver speaks v1alpha1,
// it starts a bridge, as a component of that name.
func (e *Emulator) identifyV1alpha2(ctx context.Context, component, endpoint string) (*externalDriver, error) {
	options := cosisidecar.Options{Endpoint: endpoint, ConnectTimeout: e.opts.ConnectTimeout, RPCTimeout: e.opts.RPCTimeout}
	name, err := cosisidecar.GetDriverName(ctx, options)
	if !errors.Is(err, cosisidecar.ErrDriverGeneration) {
		return &externalDriver{name: name, endpoint: endpoint}, err
	}
	bounded, cancel := context.WithTimeout(ctx, cmp.Or(e.opts.ConnectTimeout, DefaultConnectTimeout))
	defer cancel()
	_, oldErr := bridge.GetDriverName(bounded, endpoint)
	switch {
	case errors.Is(oldErr, bridge.ErrGeneration):
		return nil, fmt.Errorf("the driver at %s speaks neither COSI v1alpha2 nor v1alpha1; is it a COSI driver? %w",
			endpoint, errors.Join(err, oldErr))
	case oldErr != nil:
		return nil, fmt.Errorf("the driver at %s: %w", endpoint, oldErr)
	}
	driver, err := e.startBridge(ctx, component, endpoint)
	if err != nil {
		return nil, err
	}
	options.Endpoint = driver.endpoint
	if driver.name, err = cosisidecar.GetDriverName(ctx, options); err != nil {
		return nil, errors.Join(err, e.removeBridge(context.WithoutCancel(ctx), driver))
	}
	return driver, nil
}

// ErrDriverVersion is wrapped by the error of an external driver that speaks another version of
// the protocol than Options.API.
var ErrDriverVersion = errors.New("the driver speaks another version of COSI")

// identifyV1alpha1 asks an external driver of v1alpha1 for its name.
func (e *Emulator) identifyV1alpha1(ctx context.Context, _, endpoint string) (*externalDriver, error) {
	bounded, cancel := context.WithTimeout(ctx, cmp.Or(e.opts.ConnectTimeout, DefaultConnectTimeout))
	defer cancel()
	name, err := bridge.GetDriverName(bounded, endpoint)
	if !errors.Is(err, bridge.ErrGeneration) {
		return &externalDriver{name: name, endpoint: endpoint}, err
	}
	options := cosisidecar.Options{Endpoint: endpoint, ConnectTimeout: e.opts.ConnectTimeout, RPCTimeout: e.opts.RPCTimeout}
	if _, newErr := cosisidecar.GetDriverName(ctx, options); newErr != nil {
		return nil, fmt.Errorf("the driver at %s speaks neither COSI v1alpha1 nor v1alpha2; is it a COSI driver? %w",
			endpoint, errors.Join(err, newErr))
	}
	return nil, fmt.Errorf("the driver at %s speaks v1alpha2: %w; run it with the kinds of v1alpha2", endpoint, ErrDriverVersion)
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
