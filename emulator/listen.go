package emulator

import (
	"fmt"
	"net"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
)

// listen returns the addresses of the services.
func (o Options) listen() controlplane.Listen {
	return controlplane.Listen{Address: o.Listen, Advertise: o.Advertise}
}

func (o Options) validateListen() error {
	switch {
	case o.Listen == "" && o.Advertise != "":
		return fmt.Errorf("%w: host %q is for clients of other machines; also set the address to listen on", ErrOptions, o.Advertise)
	case o.Listen == "":
		return nil
	case net.ParseIP(o.Listen) == nil:
		return fmt.Errorf("%w: the address to listen on, %q, must be an IP address, like 192.0.2.7, or 0.0.0.0 for all of this machine",
			ErrOptions, o.Listen)
	case o.Advertise != "" && !isHost(o.Advertise):
		return fmt.Errorf("%w: the host for clients, %q, must be an IP address or a host name", ErrOptions, o.Advertise)
	case o.ControlPlane != nil && o.listen().BeyondLoopback():
		return fmt.Errorf("%w: the control plane that is given listens where it does; start one with the emulator, "+
			"or listen on loopback", ErrOptions)
	default:
		return nil
	}
}

// isHost reports whether a name is a host that clients can connect to.
func isHost(name string) bool {
	ip := net.ParseIP(name)
	return ip != nil && !ip.IsUnspecified() || ip == nil && len(validation.IsDNS1123Subdomain(name)) == 0
}
