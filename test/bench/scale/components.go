package scale

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"
	"k8s.io/client-go/rest"

	cosicontroller "github.com/cosi-emu/cosi-emu/controller"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	cosisidecar "github.com/cosi-emu/cosi-emu/sidecar"
)

// components is the components at work.
type components struct {
	ctx    context.Context //nolint:containedctx // of all that runs
	cancel context.CancelFunc
	group  errgroup.Group
}

// component is one of the components, beside the driver.
type component interface {
	Start(ctx context.Context) error
	WaitReady(ctx context.Context) error
}

// startComponents starts driver, sidecar and controller with their defaults, and returns when the
// two are ready. The counter counts their requests.
func (e *environment) startComponents(ctx context.Context, m *requestCounter) (*components, error) {
	c, err := e.startSidecar(ctx, m, fakedriver.DefaultName)
	if err != nil {
		return nil, err
	}
	if err := c.startController(ctx, e, m); err != nil {
		return nil, err
	}
	return c, nil
}

// startSidecar starts a driver and its sidecar.
func (e *environment) startSidecar(ctx context.Context, m *requestCounter, name string) (*components, error) {
	d, err := fakedriver.New(fakedriver.Options{Name: name, Backend: forgetful{}, Endpoint: "http://127.0.0.1:1"})
	if err != nil {
		return nil, err
	}
	listener, err := fakedriver.Listen(e.endpoint) //nolint:contextcheck // its probe of a stale socket is bounded by itself
	if err != nil {
		return nil, err
	}
	c := newComponents(ctx)
	c.group.Go(func() error { return d.Serve(c.ctx, listener) })
	err = c.add(ctx, func() (component, error) {
		return cosisidecar.New(ctx, e.metered(sidecar, m), cosisidecar.Options{
			Endpoint: e.endpoint, DialOptions: []grpc.DialOption{grpc.WithChainUnaryInterceptor(m.call)},
		})
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

func newComponents(ctx context.Context) *components {
	c := &components{}
	c.ctx, c.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return c
}

// startController starts the controller beside what runs. With an error, nothing runs.
func (c *components) startController(ctx context.Context, s *environment, m *requestCounter) error {
	return c.add(ctx, func() (component, error) { //nolint:contextcheck // it is bounded by itself
		return cosicontroller.New(s.metered(controller, m), cosicontroller.Options{})
	})
}

// add starts a component, and waits until it is ready. With an error, it stops all.
func (c *components) add(ctx context.Context, create func() (component, error)) error {
	created, err := create()
	if err == nil {
		c.group.Go(func() error { return created.Start(c.ctx) })
		err = created.WaitReady(ctx)
	}
	if err != nil {
		return errors.Join(err, c.stop())
	}
	return nil
}

// stop ends the components and waits for them.
func (c *components) stop() error {
	c.cancel()
	if err := c.group.Wait(); err != nil {
		return fmt.Errorf("a component has failed: %w", err)
	}
	return nil
}

func (e *environment) metered(user string, m *requestCounter) *rest.Config {
	cfg := rest.CopyConfig(e.users[user])
	cfg.Wrap(m.tap(user))
	return cfg
}

// withComponents runs the components meanwhile.
func (e *environment) withComponents(ctx context.Context, m *requestCounter, do func() error) error {
	c, err := e.startComponents(ctx, m)
	if err != nil {
		return err
	}
	return errors.Join(do(), c.stop())
}
