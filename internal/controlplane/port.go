package controlplane

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"

	"github.com/cosi-emu/cosi-emu/internal/tcpport"
)

// Loopback is the default address of control planes.
const Loopback = "127.0.0.1"

// Free ports are below the range that Linux and macOS use for outgoing connections. Otherwise an
// outgoing connection could take a port before a component binds it. Another control plane could,
// too: see Reservations.
const (
	lowestPort  = 20000
	highestPort = 32767
	portTries   = 200
)

// CheckPort returns a *tcpport.Error if the API server cannot listen on a port of an address
// now. Start checks this too; callers use it to fail early.
func CheckPort(ctx context.Context, address string, port int) error {
	listener, err := tcpport.Listen(ctx, APIServer, net.JoinHostPort(address, strconv.Itoa(port)))
	if err != nil {
		return err
	}
	return listener.Close()
}

// Reservations keep other control planes of this machine from choosing the same ports while no
// component listens on them: before its start, and between two starts. A reservation is the UDP
// port of the same number, which the operating system frees with this process.
type Reservations []net.PacketConn

// Reserve reserves a port of an address that the API server can listen on.
func (r *Reservations) Reserve(ctx context.Context, address string) (int, error) {
	for range portTries {
		port := lowestPort + rand.IntN(highestPort-lowestPort+1) //nolint:gosec // not a secret
		if r.reserve(ctx, address, port) == nil {
			return port, nil
		}
	}
	return 0, fmt.Errorf("no free port was found on %s", address)
}

// reserve fails if the port is reserved, or in use.
func (r *Reservations) reserve(ctx context.Context, address string, port int) error {
	conn, err := (&net.ListenConfig{}).ListenPacket(ctx, "udp", net.JoinHostPort(address, strconv.Itoa(port)))
	if err != nil {
		return err
	}
	if err := CheckPort(ctx, address, port); err != nil {
		return errors.Join(err, conn.Close())
	}
	*r = append(*r, conn)
	return nil
}

// Close ends all reservations.
func (r *Reservations) Close() error {
	var errs []error
	for _, conn := range *r {
		errs = append(errs, conn.Close())
	}
	*r = nil
	return errors.Join(errs...)
}

// LoopbackAddress returns the address of a port.
func LoopbackAddress(port int) string {
	return net.JoinHostPort(Loopback, strconv.Itoa(port))
}
