package subprocess

import (
	"net"
	"sync"
)

// gate is a listener whose connections end when it is shut. While it is shut it ends new ones at
// once. So a process behind it notices that the connection to its driver breaks, as it would
// without the relay.
type gate struct {
	net.Listener

	mu          sync.Mutex
	open        bool
	connections map[*gated]bool
}

func newGate(listener net.Listener) *gate {
	return &gate{Listener: listener, connections: map[*gated]bool{}}
}

func (g *gate) Accept() (net.Conn, error) {
	for {
		conn, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if through := g.admit(conn); through != nil {
			return through, nil
		}
		_ = conn.Close() // the driver is not available
	}
}

// admit returns the connection, or nil if the gate is shut.
func (g *gate) admit(conn net.Conn) net.Conn {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.open {
		return nil
	}
	through := &gated{Conn: conn, gate: g}
	g.connections[through] = true
	return through
}

// set opens the gate, or shuts it.
func (g *gate) set(open bool) {
	g.mu.Lock()
	g.open = open
	var ending []*gated
	for c := range g.connections {
		if !open {
			ending = append(ending, c)
		}
	}
	g.mu.Unlock()
	for _, c := range ending {
		_ = c.Close() // the process may have closed it
	}
}

// gated is a connection that the gate ends.
type gated struct {
	net.Conn

	gate *gate
}

func (c *gated) Close() error {
	c.gate.mu.Lock()
	delete(c.gate.connections, c)
	c.gate.mu.Unlock()
	return c.Conn.Close()
}
