package sidecar

import (
	"context"
	"fmt"

	"k8s.io/client-go/rest"

	cosimanager "github.com/cosi-emu/cosi-emu/internal/reconcile/manager"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/instance"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha2/driver"
)

// ErrStopped is wrapped by the error of WaitReady when the sidecar has stopped before it was ready.
// Start returns the cause.
var ErrStopped = cosimanager.ErrStopped

// ErrDriverNameCollision is wrapped by the error of Start when, in the Lease of the driver, the
// name belongs to another group.
var ErrDriverNameCollision = instance.ErrDriverNameCollision

// LeaseName returns the name of the Lease by which the sidecars of a driver elect a
// leader.
func LeaseName(driverName string) string { return instance.LeaseName(driverName) }

// Sidecar serves the objects of one driver.
type Sidecar struct {
	driver   *driver.Driver
	instance *instance.Instance
}

// New waits for the driver, asks for its name, and prepares to serve its objects in the cluster of
// cfg. It fails if the driver does not answer in time, or with a valid name, or if the API server
// does not serve the COSI kinds. The caller must call Start, which closes the connection at the
// end.
func New(ctx context.Context, cfg *rest.Config, opts Options) (*Sidecar, error) {
	if err := opts.Validate(); err != nil {
		return nil, fmt.Errorf("options of the sidecar: %w", err)
	}
	complete := instance.Options(opts).WithDefaults()
	d, err := driver.Connect(ctx, complete.Connection())
	if err != nil {
		return nil, err
	}
	i, err := instance.New(ctx, cfg, d.Conn, complete, generation(d))
	if err != nil {
		return nil, err
	}
	return &Sidecar{driver: d, instance: i}, nil
}

// ErrDriverGeneration is wrapped by the error of New and GetDriverName when the driver
// does not speak COSI v1alpha2.
var ErrDriverGeneration = driver.ErrGeneration

// GetDriverName asks the driver for its name. It waits for the driver as New does, and uses the
// options for the connection only.
func GetDriverName(ctx context.Context, opts Options) (string, error) {
	d, err := driver.Connect(ctx, instance.Options(opts).Connection())
	if err != nil {
		return "", err
	}
	return d.Name(), d.Close()
}

// DriverName is the name of the driver that the sidecar serves.
func (s *Sidecar) DriverName() string { return s.driver.Name() }

// Start runs the sidecar until ctx is done, and returns when all its workers have stopped. It fails
// if the sidecar cannot continue: the API server remains unavailable, another instance is the
// leader, or another driver answers at the endpoint. Start can be called once.
func (s *Sidecar) Start(ctx context.Context) error { return s.instance.Start(ctx) }

// WaitReady blocks until the sidecar reconciles: it is the leader, if there is an election, and its
// caches have synced. If that has become impossible, the error wraps ErrStopped; otherwise it is
// the error of ctx.
func (s *Sidecar) WaitReady(ctx context.Context) error { return s.instance.WaitReady(ctx) }
