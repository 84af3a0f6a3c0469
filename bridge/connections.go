package bridge

import (
	"context"
	"net"
	"sync"

	"google.golang.org/grpc/stats"
)

// callers are the connections to the bridge. When the connection to the driver ends, they end
// too, as without a bridge: a sidecar learns from its connection that its driver has restarted,
// and then retries calls that have failed terminally.
type callers struct {
	mu   sync.Mutex
	open map[*caller]struct{}
}

// caller is one connection to the bridge.
type caller struct {
	net.Conn

	all *callers
}

// Close implements net.Conn.
func (c *caller) Close() error {
	c.all.mu.Lock()
	delete(c.all.open, c)
	c.all.mu.Unlock()
	return c.Conn.Close()
}

// disconnect closes all connections.
func (c *callers) disconnect() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for one := range c.open {
		_ = one.Conn.Close() // the server, which reads from it, reports nothing else
	}
	clear(c.open)
}

// tracked is a listener that adds its connections to the callers.
type tracked struct {
	net.Listener

	callers *callers
}

// Accept implements net.Listener.
func (t tracked) Accept() (net.Conn, error) {
	conn, err := t.Listener.Accept()
	if err != nil {
		return nil, err
	}
	one := &caller{Conn: conn, all: t.callers}
	t.callers.mu.Lock()
	defer t.callers.mu.Unlock()
	t.callers.open[one] = struct{}{}
	return one, nil
}

// driverConnection disconnects the callers when the connection to the driver ends. A new
// connection forgets the driver's dialect.
type driverConnection struct {
	callers   *callers
	detection *detection
}

var _ stats.Handler = driverConnection{}

// TagRPC implements stats.Handler.
func (driverConnection) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

// HandleRPC implements stats.Handler.
func (driverConnection) HandleRPC(context.Context, stats.RPCStats) {}

// TagConn implements stats.Handler.
func (driverConnection) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context {
	return ctx
}

// HandleConn implements stats.Handler.
func (d driverConnection) HandleConn(_ context.Context, s stats.ConnStats) {
	switch s.(type) {
	case *stats.ConnBegin: // before any call uses it
		d.detection.reset()
	case *stats.ConnEnd: // a new connection may have begun already
		d.callers.disconnect()
	}
}
