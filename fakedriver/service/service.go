package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"

	"golang.org/x/sync/errgroup"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/fakedriver/store"
)

// Run serves a fake driver and its store until ctx is done or one of them fails,
// and returns when all calls and requests have ended. The error is nil when ctx
// has ended it, and wraps ErrOptions when nothing was started.
func Run(ctx context.Context, opts Options) (err error) {
	opts = opts.withDefaults()
	if err := opts.validate(); err != nil {
		return err
	}
	s3, err := store.New(store.Options{Region: opts.S3Region, Dir: opts.DataDir, Logger: opts.Logger.WithName("store")})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s3.Close()) }()
	listener, err := listenS3(ctx, opts.S3BindAddress)
	if err != nil {
		return err
	}
	endpoint := cmp.Or(opts.S3Endpoint, "http://"+listener.Addr().String())
	driver, socket, err := openDriver(opts, s3, endpoint) //nolint:contextcheck // its probe of a stale socket is bounded by itself
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	opts.Logger.Info("serving", "driver", opts.DriverName, "socket", socket.Addr().String(),
		"s3Address", listener.Addr().String(), "s3Endpoint", endpoint)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return s3.Serve(ctx, listener) })
	group.Go(func() error { return driver.Serve(ctx, socket) })
	return group.Wait()
}

func listenS3(ctx context.Context, address string) (net.Listener, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen for S3: %w; stop the program that uses the address, or choose another", err)
	}
	return listener, nil
}

// openDriver makes the driver and its socket.
func openDriver(opts Options, s3 *store.Store, endpoint string) (*fakedriver.Driver, net.Listener, error) {
	driver, err := fakedriver.New(fakedriver.Options{
		Name: opts.DriverName, Backend: s3, Endpoint: endpoint, Region: s3.Region(), Logger: opts.Logger.WithName("driver"),
	})
	if err != nil {
		return nil, nil, err
	}
	socket, err := fakedriver.Listen(opts.Endpoint)
	return driver, socket, err
}
