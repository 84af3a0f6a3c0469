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
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/azure"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store"
)

// DefaultAzureBindAddress is the default address of the Azure service.
const DefaultAzureBindAddress = "127.0.0.1:10000"

func (o Options) hasAzure() bool { return slices.Contains(o.Protocols, fakedriver.ProtocolAzure) }

func (o Options) validateAzure() error {
	if !o.hasAzure() {
		return nil
	}
	if o.AzureEndpoint != "" {
		if err := fakedriver.ValidateS3Endpoint(o.AzureEndpoint); err != nil {
			return fmt.Errorf("the Azure endpoint %q must be a URL such as http://127.0.0.1:10000", o.AzureEndpoint)
		}
	}
	return validateAddress("Azure", o.AzureBindAddress, o.AzureEndpoint)
}

// azureServer is the optional Azure service, with its listener.
type azureServer struct {
	service  *azure.Service
	listener net.Listener
	endpoint string // the URL for applications
}

func openAzure(ctx context.Context, opts Options, s3 *store.Store) (azureServer, error) {
	if !opts.hasAzure() {
		return azureServer{}, nil
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", opts.AzureBindAddress)
	if err != nil {
		return azureServer{}, fmt.Errorf("listen for Azure: %w; stop the program that uses the address, or choose another", err)
	}
	scheme := "http://"
	if opts.secure() {
		scheme = "https://"
	}
	service, err := azure.New(azure.Options{Store: s3, MaxBodyBytes: opts.MaxBodyBytes, Logger: opts.Logger.WithName("azure")})
	if err != nil {
		return azureServer{}, errors.Join(err, listener.Close())
	}
	endpoint := cmp.Or(opts.AzureEndpoint, scheme+listener.Addr().String())
	opts.Logger.Info("listening for Azure", "address", listener.Addr().String(), "endpoint", endpoint)
	return azureServer{service, listener, endpoint}, nil
}

func (a azureServer) serve(ctx context.Context, group *errgroup.Group, certificates certificates) {
	if a.service != nil {
		group.Go(func() error { return a.service.Serve(ctx, certificates.wrap(a.listener)) })
	}
}

// close closes the listener if it was never served.
func (a azureServer) close() {
	if a.service != nil {
		_ = a.listener.Close() // serving may have closed it
	}
}
