package sidecar

import (
	"context"
	"errors"
	"fmt"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/cosi-emu/cosi-emu/sidecar/driver"
)

// Sidecar serves the objects of one driver.
type Sidecar struct {
	driver  *driver.Driver
	manager ctrl.Manager
	ready   chan struct{}
	stopped chan struct{}
}

// New connects to the driver, which it waits for, asks who it is, and prepares
// to serve its objects with the given access to the API server. It returns an
// error if the driver does not answer in time or answers nonsense, or if the API
// server does not know the COSI kinds. Start has to be called: it is what
// releases the connection in the end.
func New(ctx context.Context, cfg *rest.Config, opts Options) (*Sidecar, error) {
	opts = opts.withDefaults()
	d, err := driver.Connect(ctx, driver.Options{
		Endpoint:       opts.Endpoint,
		DialOptions:    opts.DialOptions,
		ConnectTimeout: opts.ConnectTimeout,
		RPCTimeout:     opts.RPCTimeout,
	})
	if err != nil {
		return nil, err
	}
	s := &Sidecar{driver: d, ready: make(chan struct{}), stopped: make(chan struct{})}
	if err := s.assemble(ctx, cfg, opts); err != nil {
		return nil, errors.Join(fmt.Errorf("sidecar of driver %s: %w", d.Name(), err), d.Close())
	}
	return s, nil
}

// DriverName is the name of the driver that the sidecar serves.
func (s *Sidecar) DriverName() string { return s.driver.Name() }

// Start serves until ctx is done, and returns when all workers have ended. It
// returns an error if it cannot serve any more: the API server is lost for good,
// leadership is lost, or another driver has taken the place of this one. It may
// be called once.
func (s *Sidecar) Start(ctx context.Context) error {
	defer close(s.stopped)
	err := s.manager.Start(ctx)
	utilnet.CloseIdleConnectionsFor(s.manager.GetHTTPClient().Transport)
	if err != nil {
		err = fmt.Errorf("sidecar of driver %s: %w", s.driver.Name(), err)
	}
	return errors.Join(err, s.driver.Close())
}

// WaitReady returns when the sidecar is at work: it has been started, leads if
// there is an election, and knows all objects. It returns an error when ctx is
// done or the sidecar has ended before.
func (s *Sidecar) WaitReady(ctx context.Context) error {
	select {
	case <-s.ready:
		return nil
	case <-s.stopped:
		return fmt.Errorf("the sidecar of driver %s has stopped", s.driver.Name())
	case <-ctx.Done():
		return fmt.Errorf("the sidecar of driver %s is not ready: %w", s.driver.Name(), ctx.Err())
	}
}
