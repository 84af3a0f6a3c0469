package driver

import (
	"context"
	"fmt"

	"google.golang.org/grpc/connectivity"
)

// Watch keeps the connection alive until ctx is done. Whenever the driver has
// come back after the connection was lost, Watch asks again who it is, and then
// calls returned. It returns an error if a different driver has come back, or
// one that gives no valid answer; the connection is then of no use.
func (d *Driver) Watch(ctx context.Context, returned func()) error {
	state := d.conn.GetState()
	if state != connectivity.Ready {
		d.identified.Store(false)
	}
	for {
		if state == connectivity.Idle {
			d.conn.Connect()
		}
		if state == connectivity.Ready && !d.identified.Load() {
			if err := d.recognize(ctx); err != nil || ctx.Err() != nil {
				return err
			}
			returned()
		}
		if !d.conn.WaitForStateChange(ctx, state) {
			return nil
		}
		// Any change from Ready is a loss, also if it is Ready again by now.
		if state == connectivity.Ready {
			d.identified.Store(false)
		}
		state = d.conn.GetState()
	}
}

// recognize asks a driver that has come back who it is. If it is lost again
// meanwhile, the answer still is that of the driver behind the connection.
func (d *Driver) recognize(ctx context.Context) error {
	info, err := d.awaitInfo(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil //nolint:nilerr // the end of the watch is no error
	case err != nil:
		return fmt.Errorf("driver %s at %s has reconnected: %w", d.name, d.options.Endpoint, err)
	case info.Name != d.name:
		return fmt.Errorf("the driver at %s has changed its name from %q to %q; restart the sidecar to serve the new one",
			d.options.Endpoint, d.name, info.Name)
	}
	d.protocols.Store(&info.Protocols)
	d.identified.Store(true)
	return nil
}
