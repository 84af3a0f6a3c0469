package harness

import (
	"context"
	"net"
	"strconv"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/tcpport"
)

// FreeAddress returns an address of the loopback interface at FreePort.
func FreeAddress(tb testing.TB) string {
	tb.Helper()
	return net.JoinHostPort(tcpport.Loopback, strconv.Itoa(FreePort(tb)))
}

// FreePort returns a port of the loopback interface that nothing listens on. It stays free for the test's
// own processes until the test ends.
func FreePort(tb testing.TB) int {
	tb.Helper()
	var reserved tcpport.Reservations
	port, err := reserved.Reserve(tb.Context(), tcpport.Loopback)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := reserved.Close(); err != nil {
			tb.Error(err)
		}
	})
	return port
}

// Serve runs a server on a port of the loopback interface until the test ends, and returns its
// host and port. It is an error if the server fails.
func Serve(tb testing.TB, serve func(context.Context, net.Listener) error) (address string) {
	tb.Helper()
	l, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(tb.Context()))
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, l) }()
	tb.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			tb.Errorf("serve: %v", err)
		}
	})
	return l.Addr().String()
}

// Server is a server that Stop ends, such as a *grpc.Server.
type Server interface {
	Serve(listener net.Listener) error
	Stop()
}

// ServeOn runs a server on a listener until the test ends. It is an error if the server fails.
func ServeOn(tb testing.TB, server Server, listener net.Listener) {
	tb.Helper()
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	tb.Cleanup(func() {
		server.Stop()
		if err := <-served; err != nil {
			tb.Errorf("serve: %v", err)
		}
	})
}
