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

// ErrStopped is returned by WaitReady when the sidecar has ended before it was
// ready. What Start returned says why.
var ErrStopped = cosimanager.ErrStopped

// Sidecar serves the objects of one driver.
type Sidecar struct {
	driver  *driver.Driver
	manager *cosimanager.Manager
	live    client.Client // reads and writes without a cache
}

// New connects to the driver, which it waits for, asks who it is, and prepares
// to serve its objects with the given access to the API server. It returns an
// error if the driver does not answer in time or answers nonsense, or if the API
// server does not know the COSI kinds. Start has to be called: it is what
// releases the connection in the end.
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

// Start serves until ctx is done, and returns when all workers have ended. It
// returns an error if it cannot serve any more: the API server is lost for good,
// leadership is lost, or another driver has taken the place of this one. It may
// be called once.
func (s *Sidecar) Start(ctx context.Context) error {
	err := s.manager.Start(ctx)
	if err != nil {
		err = fmt.Errorf("sidecar of driver %s: %w", s.driver.Name(), err)
	}
	return errors.Join(err, s.driver.Close())
}

// WaitReady blocks until the sidecar is at work: it is the leader, if there is
// an election, and its caches are in step with the API server. It returns an
// error that wraps ErrStopped if that will not happen any more, and otherwise
// one that wraps the error of ctx.
func (s *Sidecar) WaitReady(ctx context.Context) error {
	if err := s.manager.WaitReady(ctx); err != nil {
		return fmt.Errorf("the sidecar of driver %s is not ready: %w", s.driver.Name(), err)
	}
	return nil
}
