package controlplane

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/cosi-emu/cosi-emu/internal/tcpport"
)

// Listen is the address of servers, and the host by which clients reach them. The zero value is the
// loopback address.
type Listen struct {
	// Address is the IP address to listen on; empty means Loopback.
	Address string
	// Advertise is the host name or IP address for clients; empty means Address, or Loopback if
	// Address is unspecified.
	Advertise string
}

// Validate rejects addresses that a server cannot listen on, or that clients cannot connect to.
func (l Listen) Validate() error {
	switch {
	case l.Address == "" && l.Advertise != "":
		return fmt.Errorf("host %q is for clients of other machines; also set the address to listen on", l.Advertise)
	case l.Address == "":
		return nil
	case net.ParseIP(l.Address) == nil:
		return fmt.Errorf("the address to listen on, %q, must be an IP address, like 192.0.2.7, or 0.0.0.0 for all of this machine", l.Address)
	case l.Advertise != "" && !isHost(l.Advertise):
		return fmt.Errorf("the host for clients, %q, must be an IP address or a host name", l.Advertise)
	default:
		return nil
	}
}

// isHost reports whether a name is a host that clients can connect to.
func isHost(name string) bool {
	ip := net.ParseIP(name)
	return ip != nil && !ip.IsUnspecified() || ip == nil && len(validation.IsDNS1123Subdomain(name)) == 0
}

// Bind returns the IP address to listen on.
func (l Listen) Bind() string { return cmp.Or(l.Address, tcpport.Loopback) }

// BeyondLoopback reports whether other machines can connect.
func (l Listen) BeyondLoopback() bool { return !net.ParseIP(l.Bind()).IsLoopback() }

// Host returns the host for clients.
func (l Listen) Host() string {
	if l.Advertise != "" {
		return l.Advertise
	}
	if net.ParseIP(l.Bind()).IsUnspecified() {
		return tcpport.Loopback
	}
	return l.Bind()
}

// Beyond returns the names and addresses, besides loopback, by which clients may connect. An
// authority must be permitted to sign for them.
func (l Listen) Beyond() []string {
	hosts := []string{l.Host()}
	if net.ParseIP(l.Bind()).IsUnspecified() {
		hosts = append(hosts, ownHosts()...)
	} else {
		hosts = append(hosts, l.Bind())
	}
	hosts = slices.DeleteFunc(hosts, func(host string) bool {
		return host == "localhost" || net.ParseIP(host).IsLoopback()
	})
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

// Names returns the names and addresses of a server's certificate.
func (l Listen) Names() []string {
	names := []string{tcpport.Loopback, "::1", "localhost"}
	if own := net.ParseIP(l.Bind()); own.IsLoopback() && !slices.Contains(names, own.String()) {
		names = append(names, own.String()) // such as 127.0.0.2
	}
	return append(names, l.Beyond()...)
}

// ownHosts returns the host name and the addresses of this machine.
func ownHosts() []string {
	var hosts []string
	if name, err := os.Hostname(); err == nil && name != "" {
		hosts = append(hosts, name)
	}
	addresses, _ := net.InterfaceAddrs() // without them, clients use the name
	for _, address := range addresses {
		if network, ok := address.(*net.IPNet); ok && !network.IP.IsLinkLocalUnicast() {
			hosts = append(hosts, network.IP.String())
		}
	}
	return hosts
}
