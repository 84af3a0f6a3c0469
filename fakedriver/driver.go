package fakedriver

import (
	"context"
	"net"
	"slices"

	"google.golang.org/grpc"

	"github.com/cosi-emu/cosi-emu/internal/driversocket"
	"github.com/cosi-emu/cosi-emu/internal/tracing"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// Driver serves the COSI protocol in the dialect of its options. It holds no state. Its methods are
// the KEP's.
type Driver struct {
	cosiv1alpha2.UnimplementedIdentityServer
	cosiv1alpha2.UnimplementedProvisionerServer

	options Options
}

// New returns a driver. The caller closes the backend.
func New(options Options) (*Driver, error) {
	options = options.withDefaults()
	if err := options.validate(); err != nil {
		return nil, err
	}
	if options.TracerProvider != nil {
		options.Backend = newTracedBackend(options.TracerProvider, options.Backend)
	}
	return &Driver{options: options}, nil
}

// Serve serves both services, and grpc.health.v1, on a listener, which it closes, until the context is done, and returns
// when all calls have ended. It cancels calls that run longer than [Options.GracePeriod]. It
// returns nil unless serving failed, and may be called again.
func (d *Driver) Serve(ctx context.Context, l net.Listener) error {
	options := append(slices.Concat(tracing.ServerOptions(d.options.TracerProvider), d.options.ServerOptions),
		grpc.WaitForHandlers(true), grpc.ChainUnaryInterceptor(d.report, settle))
	if d.options.IDs != "" && d.options.IDs != IDsNames {
		own := &ownIDs{form: d.options.IDs, returned: map[string]bool{}}
		options = append(options, grpc.ChainUnaryInterceptor(own.intercept))
	}
	server := grpc.NewServer(options...)
	d.register(server)
	return driversocket.Serve(ctx, server, l, d.options.GracePeriod)
}

// Listen listens on a UNIX socket given as unix:///path/to.sock, the form of COSI_ENDPOINT. It
// creates a missing directory, for its owner only. It replaces a socket that a driver has left
// behind; a socket in use, and a file of another kind, are errors. Closing the listener removes the
// socket.
func Listen(endpoint string) (net.Listener, error) { return driversocket.Listen(endpoint) }

// ValidateListenEndpoint returns an error if a driver must not listen there. The name of the socket
// ends in .sock, as the specification of COSI requires.
func ValidateListenEndpoint(endpoint string) error { return driversocket.ValidateName(endpoint) }

// ValidateEndpoint returns an error if Listen can never listen there.
func ValidateEndpoint(endpoint string) error { return driversocket.Validate(endpoint) }
