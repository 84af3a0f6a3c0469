package drivertest

import (
	"context"
	"maps"
	"net"
	"slices"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/test/bufconn"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// Endpoint is the target to dial, with the driver's DialOptions.
const Endpoint = "passthrough:///drivertest"

const bufferSize = 1 << 20

// Driver is a scriptable driver. Its methods are safe for concurrent use.
type Driver struct {
	cosiv1alpha2.UnimplementedIdentityServer
	cosiv1alpha2.UnimplementedProvisionerServer

	mu       sync.Mutex
	name     string
	server   *grpc.Server
	listener *bufconn.Listener
	served   chan struct{}
	scripts  map[string]Script
	calls    []Call
	buckets  map[string]bool
	accounts map[string]bool
	dials    int
}

// New returns a driver that does not serve yet. It is stopped when the test ends.
func New(tb testing.TB, name string) *Driver {
	tb.Helper()
	d := &Driver{name: name, scripts: map[string]Script{}, buckets: map[string]bool{}, accounts: map[string]bool{}}
	tb.Cleanup(d.Stop)
	return d
}

// Start returns a driver that serves.
func Start(tb testing.TB, name string) *Driver {
	tb.Helper()
	d := New(tb, name)
	d.Serve()
	return d
}

// Name is the driver's name.
func (d *Driver) Name() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.name
}

// Rename has the driver give another name from now on.
func (d *Driver) Rename(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.name = name
}

// Serve begins to serve, after New or Stop.
func (d *Driver) Serve() {
	d.mu.Lock()
	defer d.mu.Unlock()
	server := grpc.NewServer(grpc.UnaryInterceptor(d.intercept))
	cosiv1alpha2.RegisterIdentityServer(server, d)
	cosiv1alpha2.RegisterProvisionerServer(server, d)
	listener, served := bufconn.Listen(bufferSize), make(chan struct{})
	d.server, d.listener, d.served = server, listener, served
	go func() {
		defer close(served)
		_ = server.Serve(listener) // ends with Stop
	}()
}

// Stop breaks all connections, as the death of the process would, and waits for
// the server to be over. What the driver has created stays.
func (d *Driver) Stop() {
	d.mu.Lock()
	server, served := d.server, d.served
	d.server, d.listener = nil, nil
	d.mu.Unlock()
	if server != nil {
		server.Stop()
		<-served
	}
}

// DialOptions lead to the driver, whenever it serves.
func (d *Driver) DialOptions() []grpc.DialOption {
	return []grpc.DialOption{grpc.WithContextDialer(d.dial)}
}

// Buckets returns the IDs of the buckets that the driver has, sorted.
func (d *Driver) Buckets() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Sorted(maps.Keys(d.buckets))
}

// Accounts returns the IDs of the accounts that the driver has, sorted.
func (d *Driver) Accounts() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Sorted(maps.Keys(d.accounts))
}

// AddBucket makes a bucket that exists without COSI.
func (d *Driver) AddBucket(id string) { d.set(d.buckets, id, true) }

func (d *Driver) set(of map[string]bool, id string, exists bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if exists {
		of[id] = true
		return
	}
	delete(of, id)
}

// Dials returns how often a client has tried to connect.
func (d *Driver) Dials() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.dials
}

func (d *Driver) dial(ctx context.Context, _ string) (net.Conn, error) {
	d.mu.Lock()
	d.dials++
	listener := d.listener
	d.mu.Unlock()
	if listener == nil {
		return nil, net.ErrClosed
	}
	return listener.DialContext(ctx)
}
