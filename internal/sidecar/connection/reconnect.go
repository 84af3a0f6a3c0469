package connection

import (
	"context"
	"fmt"
	"strings"

	"google.golang.org/grpc/connectivity"
)

// Watch keeps the connection alive until ctx is done. Whenever the driver reconnects after a loss
// of the connection, Watch calls DriverGetInfo again, and then reconnected. It returns an error if
// a different driver answers, or if the answer is invalid; then the connection is unusable.
func (c *Conn) Watch(ctx context.Context, reconnected func()) error {
	state := c.conn.GetState()
	if state != connectivity.Ready {
		c.identified.Store(false)
	}
	for {
		if state == connectivity.Idle {
			c.conn.Connect()
		}
		if state == connectivity.Ready && !c.identified.Load() {
			if err := c.recognize(ctx); err != nil || ctx.Err() != nil {
				return err
			}
			reconnected()
		}
		if !c.conn.WaitForStateChange(ctx, state) {
			return nil
		}
		// Any change from Ready is a loss, even if it is Ready again now.
		if state == connectivity.Ready {
			c.identified.Store(false)
		}
		state = c.conn.GetState()
	}
}

// recognize calls DriverGetInfo of a driver that has reconnected. If the connection is lost again
// meanwhile, the answer is still its driver's.
func (c *Conn) recognize(ctx context.Context) error {
	info, err := c.awaitInfo(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil //nolint:nilerr // the end of the watch is no error
	case err != nil:
		return fmt.Errorf("driver %s at %s has reconnected: %w", c.name, c.options.Endpoint, err)
	case !strings.EqualFold(info.Name, c.name):
		return fmt.Errorf("the driver at %s has changed its name from %q to %q; restart the sidecar to serve the new one",
			c.options.Endpoint, c.name, info.Name)
	}
	c.accept(info)
	return nil
}
