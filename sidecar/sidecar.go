package sidecar

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cosimanager "github.com/cosi-emu/cosi-emu/internal/reconcile/manager"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/driver"
)

// ErrStopped is wrapped by the error of WaitReady when the sidecar has stopped before
// it was ready. The error of Start says why.
var ErrStopped = cosimanager.ErrStopped

// Sidecar serves the objects of one driver.
type Sidecar struct {
	driver  *driver.Driver
	manager *cosimanager.Manager
	live    client.Client // reads and writes without a cache
}

// New waits for the driver, asks for its name, and prepares to serve its objects in
// the cluster of cfg. It returns an error if the driver does not answer in time or
// its answer is invalid, or if the API server does not know the COSI kinds. The
// caller must call Start, which closes the connection in the end.
func New(ctx context.Context, cfg *rest.Config, opts Options) (*Sidecar, error) {
	if err := opts.Validate(); err != nil {
		return nil, fmt.Errorf("options of the sidecar: %w", err)
	}
	opts = opts.withDefaults()
	d, err := driver.Connect(ctx, opts.driverOptions())
	if err != nil {
		return nil, err
	}
	s := &Sidecar{driver: d}
	if err := s.setup(ctx, cfg, opts); err != nil {
		return nil, errors.Join(fmt.Errorf("sidecar of driver %s: %w", d.Name(), err), d.Close())
	}
	return s, nil
}

// ErrDriverGeneration is wrapped by the error of New and GetDriverName when the driver
// does not speak COSI v1alpha2.
var ErrDriverGeneration = driver.ErrGeneration

// GetDriverName asks the driver for its name. It waits for the driver as New
// does, and uses the options for the connection only.
func GetDriverName(ctx context.Context, opts Options) (string, error) {
	d, err := driver.Connect(ctx, opts.driverOptions())
	if err != nil {
		return "", err
	}
	return d.Name(), d.Close()
}

// DriverName is the name of the driver that the sidecar serves.
func (s *Sidecar) DriverName() string { return s.driver.Name() }

// Start runs the sidecar until ctx is done, and returns when all its workers have
// stopped. It fails if the sidecar cannot continue: the API server does not come
// back, another instance is the leader, or another driver answers at the endpoint.
// Start can be called once.
func (s *Sidecar) Start(ctx context.Context) error {
	err := s.manager.Start(ctx)
	if err != nil {
		err = fmt.Errorf("sidecar of driver %s: %w", s.driver.Name(), err)
	}
	return errors.Join(err, s.driver.Close())
}

// WaitReady blocks until the sidecar reconciles: it is the leader, if there is an
// election, and its caches have synced. If that cannot happen any more, the error
// wraps ErrStopped, and otherwise the error of ctx.
func (s *Sidecar) WaitReady(ctx context.Context) error {
	if err := s.manager.WaitReady(ctx); err != nil {
		return fmt.Errorf("the sidecar of driver %s is not ready: %w", s.driver.Name(), err)
	}
	return nil
}
