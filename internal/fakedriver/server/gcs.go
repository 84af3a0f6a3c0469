package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/gcs"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store"
)

// DefaultGCSBindAddress is the default address of the GCS service.
const DefaultGCSBindAddress = "127.0.0.1:9090"

func (o Options) hasGCS() bool { return slices.Contains(o.Protocols, fakedriver.ProtocolGCS) }

func (o Options) validateGCS() error {
	if !o.hasGCS() {
		return nil
	}
	if o.GCSEndpoint != "" {
		if err := fakedriver.ValidateS3Endpoint(o.GCSEndpoint); err != nil {
			return fmt.Errorf("the GCS endpoint %q must be a URL such as http://127.0.0.1:9090", o.GCSEndpoint)
		}
	}
	return validateAddress("GCS", o.GCSBindAddress, o.GCSEndpoint)
}

// gcsServer is the optional GCS service, with its listener.
type gcsServer struct {
	service  *gcs.Service
	listener net.Listener
}

func openGCS(ctx context.Context, opts Options, s3 *store.Store) (gcsServer, error) {
	if !opts.hasGCS() {
		return gcsServer{}, nil
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", opts.GCSBindAddress)
	if err != nil {
		return gcsServer{}, fmt.Errorf("listen for GCS: %w; stop the program that uses the address, or choose another", err)
	}
	scheme := "http://"
	if opts.secure() {
		scheme = "https://"
	}
	service, err := gcs.New(gcs.Options{Store: s3, MaxBodyBytes: opts.MaxBodyBytes, Logger: opts.Logger.WithName("gcs")})
	if err != nil {
		return gcsServer{}, errors.Join(err, listener.Close())
	}
	opts.Logger.Info("listening for GCS",
		"address", listener.Addr().String(), "endpoint", cmp.Or(opts.GCSEndpoint, scheme+listener.Addr().String()))
	return gcsServer{service, listener}, nil
}

func (g gcsServer) serve(ctx context.Context, group *errgroup.Group, certificates certificates) {
	if g.service != nil {
		group.Go(func() error { return g.service.Serve(ctx, certificates.wrap(g.listener)) })
	}
}

// close closes the listener if it was never served.
func (g gcsServer) close() {
	if g.service != nil {
		_ = g.listener.Close() // serving may have closed it
	}
}
