package subprocess

import (
	"context"
	"net"
	"path/filepath"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"

	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
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
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	cosiv1alpha2.RegisterIdentityServer(server, named{name: name})
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return server
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
	defer func() {
		if err := r.close(); err != nil {
			t.Error(err)
		}
	}()
	process, err := grpc.NewClient("unix://"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = process.Close() }()
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
