package externaldriver

import (
	"context"
	"errors"
	"net"

	"github.com/cosi-emu/cosi-emu/internal/subprocess"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
)

// Tell calls a function with the dialect, and where a client that speaks the emulator's connects:
// now, and whenever one of them has changed.
func (d *Driver) Tell(spoken func(dialect dialects.Dialect, endpoint string)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.spoken = spoken
	d.speaks(d.dialect)
}

// detected is called when the driver behind the bridge has another dialect than before.
func (d *Driver) detected(dialect dialects.Dialect) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.speaks(dialect)
}

// speaks stores and reports the dialect.
func (d *Driver) speaks(dialect dialects.Dialect) {
	d.dialect = dialect
	if d.bridge == nil {
		d.options.Bridges.Unneeded(d.options.Address, dialect)
	}
	if d.spoken != nil {
		d.spoken(dialect, d.endpoint())
	}
}

// dial connects to the driver. If the driver has restarted in a dialect for which its sidecar needs a
// bridge, dial starts one, and connects to it from then on: it may store IDs.
func (d *Driver) dial(ctx context.Context, _ string) (net.Conn, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.bridge == nil {
		// The question follows the connection: if another driver answers, the connection has ended.
		conn, err := dialSocket(ctx, d.options.Address)
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
	return dialSocket(ctx, d.endpoint())
}

// needsBridge asks the driver, and starts the bridge that the answer requires.
func (d *Driver) needsBridge(ctx context.Context) (bool, error) {
	dialect, err := d.options.Ask(ctx)
	if err != nil || dialect == d.dialect {
		return false, err
	}
	bridged := d.options.Bridges.Needed(dialect)
	if bridged {
		if err := d.startBridge(context.WithoutCancel(ctx), dialect); err != nil {
			return false, err
		}
	}
	d.speaks(dialect)
	return bridged, nil
}

func dialSocket(ctx context.Context, endpoint string) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, "unix", subprocess.SocketPath(endpoint))
}
