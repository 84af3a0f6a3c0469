package subprocess

import (
	"context"
	"net"
	"path/filepath"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// named is a driver that has a name.
type named struct {
	cosiv1alpha2.UnimplementedIdentityServer

	name string
}

func (n named) DriverGetInfo(context.Context, *cosiv1alpha2.DriverGetInfoRequest) (*cosiv1alpha2.DriverGetInfoResponse, error) {
	return &cosiv1alpha2.DriverGetInfoResponse{Name: n.name}, nil
}

// serve starts a driver at a socket.
func serve(t *testing.T, socket, name string) *grpc.Server {
	t.Helper()
	server := grpc.NewServer()
	cosiv1alpha2.RegisterIdentityServer(server, named{name: name})
	serveOn(t, server, socket)
	return server
}

// serveOn serves at a socket until the test ends.
func serveOn(t *testing.T, server *grpc.Server, socket string) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}

// connectTo returns a connection to a relay. Both are closed when the test ends.
func connectTo(t *testing.T, r *relay, socket string) *grpc.ClientConn {
	t.Helper()
	t.Cleanup(func() {
		if err := r.close(); err != nil {
			t.Error(err)
		}
	})
	process, err := grpc.NewClient("unix://"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = process.Close() })
	return process
}

// await waits for a state of a connection, or for another than that.
func await(t *testing.T, conn *grpc.ClientConn, want connectivity.State, is bool) {
	t.Helper()
	ctx := harness.Context(t)
	for {
		state := conn.GetState()
		if (state == want) == is {
			return
		}
		conn.Connect()
		if !conn.WaitForStateChange(ctx, state) {
			t.Fatalf("the connection is %s, want %s: %t", state, want, is)
		}
	}
}

// TestRelayBreaks has a process see that its driver ends and comes back, which is when
// sidecars ask for its name again.
func TestRelayBreaks(t *testing.T) {
	dir := t.TempDir()
	driver, socket := filepath.Join(dir, "d.sock"), filepath.Join(dir, "r.sock")
	first := serve(t, driver, "one")
	r, err := newRelay(socket, Driver{Endpoint: "unix://" + driver})
	if err != nil {
		t.Fatal(err)
	}
	process := connectTo(t, r, socket)
	await(t, process, connectivity.Ready, true)
	first.Stop()
	await(t, process, connectivity.Ready, false)
	serve(t, driver, "two")
	await(t, process, connectivity.Ready, true)
	info, err := cosiv1alpha2.NewIdentityClient(process).DriverGetInfo(t.Context(), &cosiv1alpha2.DriverGetInfoRequest{})
	if err != nil || info.GetName() != "two" {
		t.Errorf("DriverGetInfo() = %v, %v, want that of the driver that came back", info, err)
	}
}

// creating is a driver of an earlier dialect, whose answers v1alpha2 cannot decode.
type creating struct {
	dialects.UnimplementedOneCallServer
}

func (creating) DriverCreateBucket(context.Context, *cosiv1alpha2.DriverCreateBucketRequest) (*dialects.BucketResponse, error) {
	return &dialects.BucketResponse{BucketId: "loc:b", Protocols: &cosiv1alpha2.ObjectProtocolAndBucketInfo{}}, nil
}

// TestRelayDialect passes on calls of a driver with the messages of its dialect.
func TestRelayDialect(t *testing.T) {
	dir := t.TempDir()
	driver, socket := filepath.Join(dir, "d.sock"), filepath.Join(dir, "r.sock")
	server := grpc.NewServer()
	described := dialects.OneCall_ServiceDesc
	described.ServiceName = cosiv1alpha2.Provisioner_ServiceDesc.ServiceName
	server.RegisterService(&described, creating{})
	serveOn(t, server, driver)
	conn, err := dial(Driver{Endpoint: "unix://" + driver})
	if err != nil {
		t.Fatal(err)
	}
	if err := awaitConnection(harness.Context(t), conn); err != nil {
		t.Fatal(err)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	r := serveRelay(conn, listener, nil, func(string) (request, response proto.Message) {
		return &cosiv1alpha2.DriverCreateBucketRequest{}, &dialects.BucketResponse{}
	})
	process := connectTo(t, r, socket)
	response := &dialects.BucketResponse{}
	err = process.Invoke(t.Context(), cosiv1alpha2.Provisioner_DriverCreateBucket_FullMethodName,
		&cosiv1alpha2.DriverCreateBucketRequest{BucketId: "b"}, response)
	if err != nil || response.GetBucketId() != "loc:b" {
		t.Errorf("%v, %v, want the driver's ID", response, err)
	}
}
