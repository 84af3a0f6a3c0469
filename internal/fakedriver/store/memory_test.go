package store_test

import (
	"context"
	"errors"
	"net"
	"os"
	"testing"

	"google.golang.org/grpc/test/bufconn"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store"
)

// serveInMemory is serve on connections in memory. In a bubble of synctest the
// deadlines of such connections follow the bubble's clock, which advances when
// all goroutines wait.
func serveInMemory(t *testing.T, options store.Options) *server {
	t.Helper()
	l := bufconn.Listen(4 << 10)
	return &server{Store: serveOn(t, memoryListener{l}, options), url: "http://store.test", connect: func(ctx context.Context) (net.Conn, error) {
		conn, err := l.DialContext(ctx)
		return memoryConn{conn}, err
	}}
}

type memoryListener struct{ *bufconn.Listener }

func (l memoryListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return memoryConn{conn}, err
}

// memoryConn returns the error of package net when a deadline has passed.
type memoryConn struct{ net.Conn }

func (c memoryConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	return n, asNet(err)
}

func (c memoryConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	return n, asNet(err)
}

func asNet(err error) error {
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return os.ErrDeadlineExceeded
	}
	return err
}
