package externaldriver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/cosi-emu/cosi-emu/bridge"
	"github.com/cosi-emu/cosi-emu/internal/driveridentity"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// Connect asks a driver for its name and its dialect. If the driver speaks another version of the
// protocol than the emulator's, or another dialect, Connect starts a bridge.
func Connect(ctx context.Context, options Options) (*Driver, error) {
	who, err := options.Identify(ctx, options.Address)
	if err != nil {
		return nil, err
	}
	d := &Driver{options: options, name: who.Name, dialect: who.Dialect}
	if who.Other != "" {
		options.Warn(fmt.Sprintf("driver %s serves COSI %s and %s; %s is used", who.Name, who.Version, who.Other, who.Version))
	}
	bridged, err := options.bridged(ctx, who.Dialect)
	if err != nil {
		return nil, err
	}
	if !bridged {
		d.connectDirectly(who)
		return d, nil
	}
	if err := d.startBridge(ctx, who.Dialect); err != nil {
		return nil, err
	}
	if d.name, err = options.Name(ctx, d.endpoint()); err != nil {
		return nil, errors.Join(err, d.RemoveBridge(context.WithoutCancel(ctx)))
	}
	return d, nil
}

// bridged reports whether a driver needs a bridge for its dialect, or for IDs that a bridge stores.
func (o Options) bridged(ctx context.Context, dialect dialects.Dialect) (bool, error) {
	if o.Bridges.Needed(dialect) {
		return true, nil
	}
	if !o.Bridges.Needed(dialects.OneMode) {
		return false, nil
	}
	return storesIDs(ctx, o.Dir)
}

func (d *Driver) connectDirectly(who driveridentity.Identity) {
	if d.options.Bridge.AssumeExisting {
		d.options.Warn(fmt.Sprintf("driver %s serves COSI %s, so it has no bridge that could use existing buckets without a check",
			who.Name, who.Version))
	}
	d.options.Bridges.Unneeded(d.options.Address, who.Dialect)
}

// storesIDs reports whether the directory of a bridge has IDs from the time when a driver spoke
// another dialect.
func storesIDs(ctx context.Context, dir string) (stores bool, err error) {
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

// startBridge starts the bridge in front of the driver, which speaks the dialect.
func (d *Driver) startBridge(ctx context.Context, dialect dialects.Dialect) (err error) {
	options := d.options.Bridge
	options.Driver, options.Ask, options.Detected = d.options.Address, d.options.Ask, d.detected
	if d.options.Ask == nil {
		options.Dialect = dialect
	}
	d.bridge, err = d.options.Bridges.Start(ctx, d.options.Component, dialect, options)
	return err
}
