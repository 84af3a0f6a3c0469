package tcpport

import (
	"net"
	"strconv"
	"testing"
)

// TestReservedPort checks that a port is not chosen twice before its component listens.
func TestReservedPort(t *testing.T) {
	var first, second Reservations
	port, err := first.Reserve(t.Context(), Loopback)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := Listen(t.Context(), "a component", net.JoinHostPort(Loopback, strconv.Itoa(port)))
	if err != nil {
		t.Fatalf("a component cannot listen on the port that is reserved for it: %v", err)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	if second.reserve(t.Context(), Loopback, port) == nil {
		t.Errorf("port %d is reserved twice", port)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := second.reserve(t.Context(), Loopback, port); err != nil {
		t.Errorf("the port is not free after its reservation: %v", err)
	}
	if err := second.Close(); err != nil {
		t.Error(err)
	}
}
