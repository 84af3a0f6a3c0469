package controlplane

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// Loopback is the address that control planes listen on, unless they are told another.
const Loopback = "127.0.0.1"

// Free ports are below the range that Linux and macOS use for outgoing connections.
// Otherwise an outgoing connection could take a port before a component binds it.
const (
	lowestPort  = 20000
	highestPort = 32767
	portTries   = 200
)

// CheckPort returns a *PortError if the API server cannot listen on a port of an address
// now. Start checks this too; callers use it to fail early.
func CheckPort(ctx context.Context, address string, port int) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(address, strconv.Itoa(port)))
	if err != nil {
		return &PortError{Address: address, Port: port, Err: err}
	}
	return listener.Close()
}

// FreePort returns a port of an address that the API server can listen on.
func FreePort(ctx context.Context, address string) (int, error) {
	for range portTries {
		port := lowestPort + rand.IntN(highestPort-lowestPort+1) //nolint:gosec // not a secret
		if CheckPort(ctx, address, port) == nil {
			return port, nil
		}
	}
	return 0, fmt.Errorf("no free port was found on %s", address)
}

// LoopbackAddress returns the address of a port.
func LoopbackAddress(port int) string {
	return net.JoinHostPort(Loopback, strconv.Itoa(port))
}
