package httpserver

import (
	"net"
	"net/http"
	"sync"
)

// idleConns are connections without a request so far. Clients open some in advance, and
// http.Server.Shutdown would wait five seconds for their first request.
type idleConns struct {
	mu    sync.Mutex
	conns map[net.Conn]struct{}
}

// watch is an http.Server's ConnState.
func (c *idleConns) watch(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conns == nil {
		c.conns = map[net.Conn]struct{}{}
	}
	if state == http.StateNew {
		c.conns[conn] = struct{}{}
	} else {
		delete(c.conns, conn)
	}
}

func (c *idleConns) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.conns {
		_ = conn.Close() // no request is being served on it
	}
}
