package tcpport

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// Loopback is the address of services that only this machine reaches.
const Loopback = "127.0.0.1"

// Free ports are below the range that Linux and macOS use for outgoing connections, and for listeners
// that choose no port. Otherwise one of these could take a port before a component binds it. Another
// emulator could, too: see Reservations.
const (
	lowestPort  = 20000
	highestPort = 32767
	portTries   = 200
)

// Reservations keep other emulators, and other parts of this one, from choosing the same ports while no
// component listens on them: before its start, and between two starts. A reservation is the UDP
// port of the same number, which the operating system frees with this process.
type Reservations []net.PacketConn

// Reserve reserves a port of an address that a component can listen on.
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
	at := net.JoinHostPort(address, strconv.Itoa(port))
	conn, err := (&net.ListenConfig{}).ListenPacket(ctx, "udp", at)
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", at)
	if err == nil {
		err = listener.Close()
	}
	if err != nil {
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
