package store

import (
	"net"
	"net/http"
	"sync"
)

// newcomers are connections on which nothing has been sent yet. Clients open some
// in advance, and http.Server.Shutdown would wait five seconds for their first
// request.
type newcomers struct {
	mu    sync.Mutex
	conns map[net.Conn]struct{}
}

// watch is an http.Server's ConnState.
func (n *newcomers) watch(conn net.Conn, state http.ConnState) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.conns == nil {
		n.conns = map[net.Conn]struct{}{}
	}
	if state == http.StateNew {
		n.conns[conn] = struct{}{}
	} else {
		delete(n.conns, conn)
	}
}

func (n *newcomers) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for conn := range n.conns {
		_ = conn.Close() // nobody is using it
	}
}
