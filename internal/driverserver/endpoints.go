package driverserver

import (
	"net"
	"net/netip"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3"
)

// withEndpoints sets the default URLs of the store for its listening address.
func (o Options) withEndpoints(address net.Addr) Options {
	scheme := "http://"
	if o.secure() {
		scheme = "https://"
	}
	if o.S3Endpoint != "" {
		return o
	}
	o.S3Endpoint = scheme + address.String()
	listens, err := netip.ParseAddrPort(address.String())
	if err == nil && listens.Addr().IsLoopback() && o.S3VirtualEndpoint == "" {
		_, port, _ := net.SplitHostPort(address.String()) // a TCP address has a port
		o.S3VirtualEndpoint = scheme + net.JoinHostPort(s3.DefaultHost, port)
	}
	return o
}
