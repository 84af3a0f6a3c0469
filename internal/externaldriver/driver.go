// Package externaldriver connects sidecars to a driver that the emulator does not run. The driver may
// restart in another dialect, for which the sidecars need a bridge.
package externaldriver

import (
	"context"
	"sync"

	"google.golang.org/grpc"

	"github.com/cosi-emu/cosi-emu/bridge"
	"github.com/cosi-emu/cosi-emu/internal/driveridentity"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
)

// Options describe a driver.
type Options struct {
	// Address is the endpoint at which the driver listens.
	Address string
	// Component is the name of the bridge in front of the driver, and Dir its directory.
	Component, Dir string
	// Identify asks the driver for its identity, and Name a bridge for the driver's name.
	Identify func(ctx context.Context, endpoint string) (driveridentity.Identity, error)
	Name     func(ctx context.Context, endpoint string) (string, error)
	// Ask returns the dialect of the running driver. It is asked after each connection. It is nil if
	// the dialect cannot change.
	Ask func(context.Context) (dialects.Dialect, error)
	// Bridge has the options of a bridge that the user chooses: AssumeExisting, and those for v1alpha1.
	Bridge  bridge.Options
	Bridges Bridges
	// Warn reports a warning to the user.
	Warn func(string)
}

// Bridges are the bridges of an emulator.
type Bridges interface {
	// Needed reports whether a driver of a dialect needs a bridge.
	Needed(dialect dialects.Dialect) bool
	// Start starts a bridge in front of a driver that speaks the dialect.
	Start(ctx context.Context, component string, dialect dialects.Dialect, options bridge.Options) (Bridge, error)
	// Unneeded records the dialect of a driver without a bridge.
	Unneeded(endpoint string, dialect dialects.Dialect)
}

// Bridge is a started bridge.
type Bridge interface {
	// Endpoint is where sidecars connect.
	Endpoint() string
	// Remove stops the bridge, and releases its directory.
	Remove(ctx context.Context) error
}

// Driver is an external driver.
type Driver struct {
	options Options
	name    string

	mu      sync.Mutex
	dialect dialects.Dialect
	bridge  Bridge // nil if there is none
	// spoken, if set, is called with the dialect, and where a client that speaks the emulator's
	// connects, whenever one of them has changed.
	spoken func(dialect dialects.Dialect, endpoint string)
}

// Name is the name that the driver reports.
func (d *Driver) Name() string { return d.name }

// endpoint is where a client that speaks the emulator's dialect connects.
func (d *Driver) endpoint() string {
	if d.bridge == nil {
		return d.options.Address
	}
	return d.bridge.Endpoint()
}

// SidecarOptions connect a sidecar to the driver, or to its bridge.
func (d *Driver) SidecarOptions() cosisidecar.Options {
	options := cosisidecar.Options{Endpoint: d.endpoint()}
	if d.bridge == nil && d.options.Ask != nil {
		options.DialOptions = []grpc.DialOption{grpc.WithContextDialer(d.dial)}
	}
	return options
}

// Client returns a connection for direct calls in the emulator's dialect.
func (d *Driver) Client(options ...grpc.DialOption) (*grpc.ClientConn, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return grpc.NewClient(d.endpoint(), options...)
}

// RemoveBridge stops the bridge, if there is one, and releases its directory.
func (d *Driver) RemoveBridge(ctx context.Context) error {
	if started := d.startedBridge(); started != nil {
		return started.Remove(ctx)
	}
	return nil
}

// startedBridge returns the bridge, or nil. A bridge that stops waits for its calls, and these report
// what they have detected: the driver must not be locked meanwhile.
func (d *Driver) startedBridge() Bridge {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.bridge
}
