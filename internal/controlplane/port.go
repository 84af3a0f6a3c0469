package controlplane

import (
	"context"
	"net"
	"strconv"

	"github.com/cosi-emu/cosi-emu/internal/tcpport"
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

// LoopbackAddress returns the address of a port.
func LoopbackAddress(port int) string {
	return net.JoinHostPort(tcpport.Loopback, strconv.Itoa(port))
}
