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

// crew is the components at work.
type crew struct {
	cancel context.CancelFunc
	group  errgroup.Group
}

// component is what a crew consists of, beside the driver.
type component interface {
	Start(ctx context.Context) error
	WaitReady(ctx context.Context) error
}

// muster starts driver, sidecar and controller with their defaults, and returns
// when the two are ready. The meter counts what they do.
func (s *site) muster(ctx context.Context, m *meter) (*crew, error) {
	d, err := fakedriver.New(fakedriver.Options{Backend: forgetful{}, Endpoint: "http://127.0.0.1:1"})
	if err != nil {
		return nil, err
	}
	listener, err := fakedriver.Listen(s.endpoint) //nolint:contextcheck // its probe of a stale socket is bounded by itself
	if err != nil {
		return nil, err
	}
	runCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	c := &crew{cancel: cancel}
	c.group.Go(func() error { return d.Serve(runCtx, listener) })
	for _, create := range []func() (component, error){
		func() (component, error) {
			return cosisidecar.New(ctx, s.metered(sidecar, m), cosisidecar.Options{
				Endpoint: s.endpoint, DialOptions: []grpc.DialOption{grpc.WithChainUnaryInterceptor(m.call)},
			})
		},
		func() (component, error) { //nolint:contextcheck // it is bounded by itself
			return cosicontroller.New(s.metered(controller, m), cosicontroller.Options{})
		},
	} {
		if err := c.add(ctx, runCtx, create); err != nil {
			return nil, errors.Join(err, c.stop())
		}
	}
	return c, nil
}

func (c *crew) add(ctx, runCtx context.Context, create func() (component, error)) error {
	created, err := create()
	if err != nil {
		return err
	}
	c.group.Go(func() error { return created.Start(runCtx) })
	return created.WaitReady(ctx)
}

// stop ends the components and waits for them.
func (c *crew) stop() error {
	c.cancel()
	if err := c.group.Wait(); err != nil {
		return fmt.Errorf("a component has failed: %w", err)
	}
	return nil
}

func (s *site) metered(user string, m *meter) *rest.Config {
	cfg := rest.CopyConfig(s.users[user])
	cfg.Wrap(m.tap(user))
	return cfg
}

// withCrew has a crew at work meanwhile.
func (s *site) withCrew(ctx context.Context, m *meter, do func() error) error {
	c, err := s.muster(ctx, m)
	if err != nil {
		return err
	}
	return errors.Join(do(), c.stop())
}
