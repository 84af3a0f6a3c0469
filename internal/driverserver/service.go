package driverserver

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3"
	"github.com/cosi-emu/cosi-emu/internal/driverserver/outage"
	"github.com/cosi-emu/cosi-emu/internal/service"
	"github.com/cosi-emu/cosi-emu/internal/store"
	"github.com/cosi-emu/cosi-emu/internal/tcpport"
)

// Run serves a fake driver and its store until ctx is done or one of them fails. It returns when
// all calls and requests have ended. The error is nil if ctx has ended, and wraps ErrOptions if the
// options are invalid.
func Run(ctx context.Context, opts Options) (err error) {
	opts = opts.withDefaults()
	if err := opts.validate(); err != nil {
		return err
	}
	certificates, err := openCertificates(opts)
	if err != nil {
		return err
	}
	opened, err := openStore(ctx, opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	s3, err := openS3(opts, opened)
	if err != nil {
		return err
	}
	listener, err := tcpport.Listen(ctx, "S3", opts.S3BindAddress)
	if err != nil {
		return err
	}
	opts = opts.withEndpoints(listener.Addr())
	others, err := openOthers(ctx, opts, opened)
	defer others.close()
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	backend, handler := withOutage(opts, opened, s3)
	driver, socket, err := openDriver(opts, backend, others) //nolint:contextcheck // its probe of a stale socket is bounded by itself
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	opts.Logger.Info("serving", "driver", opts.DriverName, "socket", socket.Addr().String(),
		"s3Address", listener.Addr().String(), "s3Endpoint", opts.S3Endpoint)
	group, ctx := errgroup.WithContext(ctx)
	others.start(ctx, group, certificates)
	group.Go(func() error { return certificates.watch(ctx) })
	group.Go(func() error { return s3.ServeHandler(ctx, certificates.wrap(listener), handler) })
	group.Go(func() error { return driver.Serve(ctx, socket) })
	return group.Wait()
}

// withOutage returns the backend of the driver and the handler of S3 requests, which fail as the
// files of the outage directory specify.
func withOutage(opts Options, opened *store.Store, s3 *s3.Service) (fakedriver.Backend, http.Handler) {
	if opts.OutageDir == "" {
		return opened, s3.Handler()
	}
	o := outage.New(opts.OutageDir, opened)
	return o.Backend(opened), o.Handler(s3)
}

func openStore(ctx context.Context, opts Options) (*store.Store, error) {
	options := store.Options{
		Region: opts.S3Region, Dir: opts.DataDir, Logger: opts.Logger.WithName("store"),
		MaxAccounts: opts.MaxAccounts,
	}
	opened, err := store.New(options)
	if err != nil || opts.DataDir == "" {
		return opened, err
	}
	if err := gcs.Migrate(ctx, opened, filepath.Join(opts.DataDir, "gcs")); err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return opened, nil
}

func openS3(opts Options, opened *store.Store) (*s3.Service, error) {
	options := s3.Options{
		Options:     pipeline.Options{Store: opened, MaxBodyBytes: opts.MaxBodyBytes, Logger: opts.Logger.WithName("store")},
		CORSOrigins: opts.S3CORSOrigins,
	}
	if opts.S3VirtualEndpoint != "" {
		u, err := url.Parse(opts.S3VirtualEndpoint)
		if err != nil {
			return nil, err
		}
		options.Hosts = []string{u.Hostname()}
	}
	return s3.New(options)
}

// openDriver creates the driver and its socket.
func openDriver(opts Options, backend fakedriver.Backend, others openServices) (*fakedriver.Driver, net.Listener, error) {
	options := fakedriver.Options{
		Name: opts.DriverName, Dialect: opts.Dialect, IDs: opts.IDs, Backend: backend, Protocols: opts.Protocols,
		VirtualEndpoint: opts.S3VirtualEndpoint, Region: opts.S3Region,
		IgnoreUnknownParameters: opts.IgnoreUnknownParameters, AcceptUnknownAuthentication: true,
		Logger: opts.Logger.WithName("driver"), TracerProvider: opts.TracerProvider,
	}
	service.S3.Lead(&options, opts.S3Endpoint)
	others.lead(&options)
	driver, err := fakedriver.New(options)
	if err != nil {
		return nil, nil, err
	}
	socket, err := fakedriver.Listen(opts.Endpoint)
	return driver, socket, err
}
