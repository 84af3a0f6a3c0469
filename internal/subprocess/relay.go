package subprocess

import (
	"context"
	"errors"
	"net"
	"path"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	cosiv1alpha1 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha1"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

// MessagesFunc returns an empty request and response of a method, given as /SERVICE/METHOD, or
// nil.
type MessagesFunc func(method string) (request, response proto.Message)

// relay passes calls on to a driver.
type relay struct {
	server *grpc.Server
	conn   *grpc.ClientConn
	grants *grants // nil for the relay of a sidecar
	// messages returns the messages of a method in the dialect of the driver.
	messages MessagesFunc
	served   chan error

	watching sync.WaitGroup
	stop     context.CancelFunc
}

// reconnect limits the time until the relay notices that a driver is back.
var reconnect = grpc.ConnectParams{
	Backoff:           backoff.Config{BaseDelay: 20 * time.Millisecond, Multiplier: 1.5, Jitter: 0.2, MaxDelay: 500 * time.Millisecond},
	MinConnectTimeout: time.Second,
}

// newRelay starts a relay that listens on a socket. The driver may start later.
func newRelay(socket string, driver Driver) (*relay, error) {
	conn, err := dial(driver)
	if err != nil {
		return nil, err
	}
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "unix", socket)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return serveRelay(conn, listener, nil, driver.Messages), nil
}

func dial(driver Driver) (*grpc.ClientConn, error) {
	return grpc.NewClient(driver.Endpoint,
		append([]grpc.DialOption{
			grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithConnectParams(reconnect), grpc.WithIdleTimeout(0),
			grpc.WithDefaultCallOptions(grpc.ForceCodecV2(newLossless())),
		}, driver.DialOptions...)...)
}

// serveRelay starts a relay from a listener to a connection, and owns both.
func serveRelay(conn *grpc.ClientConn, listener net.Listener, grants *grants, messages MessagesFunc) *relay {
	if messages == nil {
		messages = cosiv1alpha2.Messages
	}
	r := &relay{conn: conn, grants: grants, messages: messages, served: make(chan error, 1)}
	r.server = grpc.NewServer(grpc.UnknownServiceHandler(r.pass), grpc.ForceServerCodecV2(newLossless()))
	through := newGate(listener)
	through.set(conn.GetState() == connectivity.Ready)
	go func() { r.served <- r.server.Serve(through) }()
	ctx, cancel := context.WithCancel(context.Background())
	r.stop = cancel
	r.watching.Go(func() { r.follow(ctx, through) })
	return r
}

// awaitConnection returns when there is a connection to the driver.
func awaitConnection(ctx context.Context, conn *grpc.ClientConn) error {
	conn.Connect()
	for state := conn.GetState(); state != connectivity.Ready; state = conn.GetState() {
		if !conn.WaitForStateChange(ctx, state) {
			return context.Cause(ctx)
		}
	}
	return nil
}

// follow breaks the connection of the process while the relay has none to the driver.
func (r *relay) follow(ctx context.Context, through *gate) {
	for {
		state := r.conn.GetState()
		through.set(state == connectivity.Ready)
		if state == connectivity.Idle {
			r.conn.Connect()
		}
		if !r.conn.WaitForStateChange(ctx, state) {
			return
		}
	}
}

// grantMethod is the method that returns keys, in both generations.
const grantMethod = "DriverGrantBucketAccess"

// pass implements grpc.StreamHandler for calls of any method that has one request and one response.
// It passes on messages that it cannot decode.
func (r *relay) pass(_ any, stream grpc.ServerStream) error {
	method, _ := grpc.MethodFromServerStream(stream)
	request, response := r.messages(method)
	if request == nil {
		request, response = cosiv1alpha1.Messages(method)
	}
	if request == nil { // the driver decides whether it has the method
		request, response = &emptypb.Empty{}, &emptypb.Empty{}
	}
	if err := stream.RecvMsg(request); err != nil {
		return err
	}
	if r.grants != nil && path.Base(method) == grantMethod {
		defer r.grants.begin()()
	}
	if err := r.conn.Invoke(withMetadata(stream.Context()), method, request, response); err != nil {
		return err
	}
	return stream.SendMsg(response)
}

// withMetadata returns a context whose calls have the metadata of the call that is being served, such as its place in a
// trace, and the Secret that a class names for the driver.
func withMetadata(ctx context.Context) context.Context {
	if md, ok := metadata.FromIncomingContext(ctx); ok {
		return metadata.NewOutgoingContext(ctx, md) // gRPC leaves out its own headers
	}
	return ctx
}

func (r *relay) close() error {
	r.stop()
	r.watching.Wait()
	r.server.Stop()
	return errors.Join(<-r.served, r.conn.Close())
}
