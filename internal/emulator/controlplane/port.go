package controlplane

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
)

const loopback = "127.0.0.1"

// Free ports are below the range that Linux and macOS use for outgoing connections.
// Otherwise an outgoing connection could take a port before a component binds it.
// Another control plane could, too: see reservation.
const (
	lowestPort  = 20000
	highestPort = 32767
	portTries   = 200
)

var errNoPort = errors.New("no free port was found on " + loopback)

// CheckPort returns a *PortError if the API server cannot listen on a port now. Start
// checks this too; callers use it to fail early.
func CheckPort(ctx context.Context, port int) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", loopbackAddress(port))
	if err != nil {
		return &PortError{Port: port, Err: err}
	}
	return listener.Close()
}

// A reservation keeps other control planes of this machine from choosing the same port
// while no component listens on it: before its start, and between two starts. It is the
// UDP port of the same number, which the operating system frees with this process.
type reservation struct {
	port int
	net.PacketConn
}

// reservePort reserves a port that is free. The caller closes the reservation.
func reservePort(ctx context.Context) (*reservation, error) {
	for range portTries {
		port := lowestPort + rand.IntN(highestPort-lowestPort+1) //nolint:gosec // not a secret
		if r, err := reserve(ctx, port); err == nil {
			return r, nil
		}
	}
	return nil, errNoPort
}

// reserve fails if the port is reserved, or in use.
func reserve(ctx context.Context, port int) (*reservation, error) {
	conn, err := (&net.ListenConfig{}).ListenPacket(ctx, "udp", loopbackAddress(port))
	if err != nil {
		return nil, err
	}
	if err := CheckPort(ctx, port); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return &reservation{port: port, PacketConn: conn}, nil
}

func loopbackAddress(port int) string {
	return net.JoinHostPort(loopback, strconv.Itoa(port))
}
