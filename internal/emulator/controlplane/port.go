package controlplane

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
)

// Loopback is the address that control planes listen on.
const Loopback = "127.0.0.1"

// Free ports are below the range that Linux and macOS use for outgoing connections.
// Otherwise an outgoing connection could take a port before a component binds it.
const (
	lowestPort  = 20000
	highestPort = 32767
	portTries   = 200
)

var errNoPort = errors.New("no free port was found on " + Loopback)

// CheckPort returns a *PortError if the API server cannot listen on a port now. Start
// checks this too; callers use it to fail early.
func CheckPort(ctx context.Context, port int) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", LoopbackAddress(port))
	if err != nil {
		return &PortError{Port: port, Err: err}
	}
	return listener.Close()
}

// FreePort returns a port that the API server can listen on.
func FreePort(ctx context.Context) (int, error) {
	for range portTries {
		port := lowestPort + rand.IntN(highestPort-lowestPort+1) //nolint:gosec // not a secret
		if CheckPort(ctx, port) == nil {
			return port, nil
		}
	}
	return 0, errNoPort
}

// LoopbackAddress returns the address of a port.
func LoopbackAddress(port int) string {
	return net.JoinHostPort(Loopback, strconv.Itoa(port))
}
