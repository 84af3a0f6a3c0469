package bridge

import (
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// Bridge serves COSI v1alpha2 in front of a v1alpha1 driver. It is safe for concurrent
// use. It has at most one call in flight for each bucket.
type Bridge struct {
	cosiv1alpha2.UnimplementedIdentityServer
	cosiv1alpha2.UnimplementedProvisionerServer

	options     Options
	conn        *grpc.ClientConn
	identity    cosiv1alpha1.IdentityClient
	provisioner cosiv1alpha1.ProvisionerClient

	buckets, accounts *ids
	turns             turns
}

// New returns a Bridge. It does not wait for the driver: while there is no connection
// to it, calls fail with the code UNAVAILABLE. Close the Bridge after use.
func New(options Options) (*Bridge, error) {
	if err := options.Validate(); err != nil {
		return nil, err
	}
	options = options.withDefaults()
	conn, err := grpc.NewClient(options.Driver, append([]grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithIdleTimeout(0),
		grpc.WithNoProxy(),
	}, options.DialOptions...)...)
	if err != nil {
		return nil, fmt.Errorf("driver endpoint %q: %w", options.Driver, err)
	}
	return &Bridge{
		options: options, conn: conn,
		identity: cosiv1alpha1.NewIdentityClient(conn), provisioner: cosiv1alpha1.NewProvisionerClient(conn),
		buckets: &ids{store: options.Store, kind: "bucket"}, accounts: &ids{store: options.Store, kind: "account"},
		turns: newTurns(),
	}, nil
}

// Register adds the services of the bridge to a gRPC server.
func (b *Bridge) Register(server grpc.ServiceRegistrar) {
	cosiv1alpha2.RegisterIdentityServer(server, b)
	cosiv1alpha2.RegisterProvisionerServer(server, b)
}

// Close ends the connection to the driver. Calls in flight fail.
func (b *Bridge) Close() error { return b.conn.Close() }
