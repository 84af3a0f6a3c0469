package s3test

import (
	"context"
	"net"
	"runtime"
	"sync"
	"testing"
)

// ServeInMemory is Serve on connections in memory. In a bubble of synctest the deadlines of such
// connections follow the bubble's clock, which advances when all goroutines wait.
func ServeInMemory(t *testing.T, options Options) *Server {
	t.Helper()
	l := &memoryListener{dialed: make(chan net.Conn), closed: make(chan struct{})}
	s := serveOn(t, l, options)
	s.URL, s.connect = "http://store.test", l.dial
	return s
}

// memoryListener accepts connections of net.Pipe, not of bufconn: bufconn starts
// timers that fire at once. Two goroutines of a bubble that start such timers
// crash the race detector (https://go.dev/issue/78156).
type memoryListener struct {
	dialed chan net.Conn
	close  sync.Once
	closed chan struct{}
}

func (l *memoryListener) dial(ctx context.Context) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.dialed <- server:
		return client, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *memoryListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.dialed:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *memoryListener) Close() error {
	l.close.Do(func() { close(l.closed) })
	return nil
}

func (l *memoryListener) Addr() net.Addr { return memoryAddr{} }

type memoryAddr struct{}

func (memoryAddr) Network() string { return "memory" }

func (memoryAddr) String() string { return "store.test" }

// Heap reads the memory statistics with empty pools.
func Heap() (stats runtime.MemStats) {
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats
}
