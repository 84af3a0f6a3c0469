package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// makeDrivers starts the drivers of the setup. It returns their names in the cluster,
// by their names in the document.
func (r *run) makeDrivers(ctx context.Context, drivers []spec.Driver) (map[string]any, error) {
	names := map[string]any{}
	r.drivers = map[string]*emulator.AddedDriver{}
	if r.engine.ownDriver() && len(drivers) == 1 && drivers[0].Socket == "" { // the user's driver replaces the only one of the setup
		names[drivers[0].Name] = r.engine.emulator.Info().DriverName
		r.variables.Bind("drivers", names)
		r.variables.Bind("driver", names[drivers[0].Name])
		return names, nil
	}
	for i := range drivers {
		added, err := r.makeDriver(ctx, &drivers[i])
		if err != nil {
			return nil, fmt.Errorf("driver %s: %w", drivers[i].Name, err)
		}
		r.drivers[drivers[i].Name], names[drivers[i].Name] = added, added.DriverName
	}
	r.variables.Bind("drivers", names)
	if len(drivers) > 0 {
		r.variables.Bind("driver", names[drivers[0].Name])
	}
	return names, nil
}

// makeDriver starts a fake driver, or a sidecar for a driver that already runs.
func (r *run) makeDriver(ctx context.Context, driver *spec.Driver) (*emulator.AddedDriver, error) {
	if driver.Socket != "" {
		return r.engine.emulator.AddDriver(ctx, emulator.DriverOptions{Name: r.scoped(driver.Name), Endpoint: driver.Socket})
	}
	options := emulator.DriverOptions{
		Name: r.scoped(driver.Name), SingleBucket: driver.MultiBucket != nil && !*driver.MultiBucket,
		Parameters: driver.Parameters,
	}
	if len(driver.Protocols) > 0 {
		var err error
		if options.Protocols, err = fakedriver.ParseProtocols(driver.Protocols); err != nil {
			return nil, err
		}
	}
	for _, mode := range driver.AccessModes {
		options.AccessModes = append(options.AccessModes, fakedriver.AccessMode(mode))
	}
	if driver.Parameters[fakedriver.ParameterNonEmptyDeletion] == fakedriver.NonEmptyPurge {
		r.watcher.AllowPurge(options.Name)
	}
	return r.engine.emulator.AddDriver(ctx, options)
}

func (r *run) removeDrivers(ctx context.Context) error {
	var failed []error
	for _, driver := range r.drivers {
		failed = append(failed, driver.Remove(ctx))
	}
	return errors.Join(failed...)
}

// dial connects to a driver of the setup, or to the emulator's own.
func (r *run) dial(ctx context.Context, name spec.Text) (*grpc.ClientConn, error) {
	driver, err := r.variables.Text(ctx, name)
	if err != nil {
		return nil, err
	}
	if driver == "" && len(r.scenario.Setup.Drivers) > 0 {
		driver = r.scenario.Setup.Drivers[0].Name
	}
	if added, ok := r.drivers[driver]; ok {
		return added.Dial()
	}
	return grpc.NewClient(r.engine.emulator.Info().DriverEndpoint, grpc.WithTransportCredentials(insecure.NewCredentials()))
}

// componentNamed returns the name of a component of the emulator. If the user's driver replaces the
// driver of the setup, that driver's sidecar is the emulator's own.
func (r *run) componentNamed(name string) string {
	if !r.engine.ownDriver() {
		return name
	}
	prefix, driver, found := strings.Cut(name, ".")
	if found && strings.TrimSuffix(driver, emulator.ReplicaSuffix) == r.engine.emulator.Info().DriverName {
		return prefix + strings.TrimPrefix(driver, r.engine.emulator.Info().DriverName)
	}
	return name
}

// ownDriver reports whether the driver is the user's, so that only the driver sees its backend.
func (e *Engine) ownDriver() bool {
	emu := e.emulator
	return emu.Store() == nil && !e.options.NoBackend && emu.Info().DriverEndpoint != "" && emu.Info().API == objectstorage.V1alpha2
}
