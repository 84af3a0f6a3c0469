package drivertest

import (
	"testing"

	"google.golang.org/grpc"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// Driver is a scriptable driver of v1alpha2. Its methods are safe for concurrent use.
type Driver struct {
	cosiv1alpha2.UnimplementedIdentityServer
	cosiv1alpha2.UnimplementedProvisionerServer
	*Server
}

// New returns a driver that does not serve yet. It is stopped when the test ends.
func New(tb testing.TB, name string) *Driver {
	tb.Helper()
	d := &Driver{}
	d.Server = newServer(tb, name, func(server *grpc.Server) {
		cosiv1alpha2.RegisterIdentityServer(server, d)
		cosiv1alpha2.RegisterProvisionerServer(server, d)
	})
	return d
}

// Start returns a driver that serves.
func Start(tb testing.TB, name string) *Driver {
	tb.Helper()
	d := New(tb, name)
	d.Serve()
	return d
}
