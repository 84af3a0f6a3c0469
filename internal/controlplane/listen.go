package controlplane

import (
	"cmp"
	"net"
	"os"
	"slices"
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

// Bind returns the IP address to listen on.
func (l Listen) Bind() string { return cmp.Or(l.Address, Loopback) }

// BeyondLoopback reports whether other machines can connect.
func (l Listen) BeyondLoopback() bool { return !net.ParseIP(l.Bind()).IsLoopback() }

// Host returns the host for clients.
func (l Listen) Host() string {
	if l.Advertise != "" {
		return l.Advertise
	}
	if net.ParseIP(l.Bind()).IsUnspecified() {
		return Loopback
	}
	return l.Bind()
}

// Beyond returns the names and addresses, besides loopback, by which clients may connect. An
// authority must be permitted to sign for them.
func (l Listen) Beyond() []string {
	if !l.BeyondLoopback() {
		return nil
	}
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
	return append([]string{Loopback, "::1", "localhost"}, l.Beyond()...)
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
