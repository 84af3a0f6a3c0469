package subprocess

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/seam"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2/dialects"
	"github.com/cosi-emu/cosi-emu/proto/secretparameters"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

type named struct {
	cosiv1alpha2.UnimplementedIdentityServer

	name string
}

func (n named) DriverGetInfo(context.Context, *cosiv1alpha2.DriverGetInfoRequest) (*cosiv1alpha2.DriverGetInfoResponse, error) {
	return &cosiv1alpha2.DriverGetInfoResponse{Name: n.name}, nil
}

func serve(t *testing.T, socket, name string) *grpc.Server {
	t.Helper()
	server := grpc.NewServer()
	cosiv1alpha2.RegisterIdentityServer(server, named{name: name})
	serveOn(t, server, socket)
	return server
}

func serveOn(t *testing.T, server *grpc.Server, socket string) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	harness.ServeOn(t, server, listener)
}

// connectTo returns a connection to a relay. Both are closed when the test ends.
func connectTo(t *testing.T, r *relay, socket string) *grpc.ClientConn {
	t.Helper()
	t.Cleanup(func() {
		if err := r.close(); err != nil {
			t.Error(err)
		}
	})
	process, err := dial(Driver{Endpoint: "unix://" + socket})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = process.Close() })
	return process
}

// await waits for a state of a connection, or for a change from it.
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

// TestRelayBreaks: a process notices when its driver ends and comes back, because sidecars ask for
// its name again then.
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

// creating is a driver of an earlier dialect, whose responses v1alpha2 cannot decode.
type creating struct {
	dialects.UnimplementedOneCallServer
}

func (creating) DriverCreateBucket(context.Context, *cosiv1alpha2.DriverCreateBucketRequest) (*dialects.BucketResponse, error) {
	return &dialects.BucketResponse{BucketId: "loc:b", Protocols: &cosiv1alpha2.ObjectProtocolAndBucketInfo{}}, nil
}

// TestRelayDialect passes on calls of a driver of an earlier dialect: decoded with the messages of
// the dialect, and unchanged if another dialect is assumed, or if the method is unknown.
func TestRelayDialect(t *testing.T) {
	const later = "/sigs.k8s.io.cosi.v1alpha2.Provisioner/DriverResizeBucket"
	create := cosiv1alpha2.Provisioner_DriverCreateBucket_FullMethodName
	for name, tc := range map[string]struct {
		dialect dialects.Dialect
		method  string
		note    string
	}{
		"Decoded":   {dialects.OneMode, create, ""},
		"Undecoded": {dialects.KEP, create, "9 bytes that are no DriverCreateBucketResponse; they are passed on unchanged"},
		"Unknown":   {dialects.KEP, later, "9 bytes that are no Empty; they are passed on unchanged"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			driver, socket := filepath.Join(dir, "d.sock"), filepath.Join(dir, "r.sock")
			server := grpc.NewServer()
			described := dialects.OneMode.Provisioner()
			resize := described.Methods[0]
			resize.MethodName = path.Base(later)
			described.Methods = append(described.Methods, resize)
			server.RegisterService(&described, creating{})
			serveOn(t, server, driver)
			events := journal.New(journal.Options{})
			i := seam.NewIncarnation(events, "driver", 1)
			r, err := newRelay(socket, Driver{
				Endpoint: "unix://" + driver, DialOptions: i.RelayOptions(), Messages: tc.dialect.Messages,
			})
			if err != nil {
				t.Fatal(err)
			}
			response := &dialects.BucketResponse{}
			request := &cosiv1alpha2.DriverCreateBucketRequest{BucketId: "b"}
			err = connectTo(t, r, socket).Invoke(harness.Context(t), tc.method, request, response, grpc.WaitForReady(true))
			if err != nil || response.GetBucketId() != "loc:b" {
				t.Errorf("%v, %v, want the driver's ID", response, err)
			}
			for _, event := range events.Since(0) {
				if event.Message != tc.note {
					t.Errorf("the journal has %q, want %q", event.Message, tc.note)
				}
			}
			if len(events.Since(0)) != 1 {
				t.Errorf("the journal has %d events, want the call", len(events.Since(0)))
			}
		})
	}
}

// telling returns the key token of the Secret that it gets as its name.
type telling struct {
	cosiv1alpha2.UnimplementedIdentityServer
}

func (telling) DriverGetInfo(ctx context.Context, _ *cosiv1alpha2.DriverGetInfoRequest) (*cosiv1alpha2.DriverGetInfoResponse, error) {
	secret, err := secretparameters.FromIncomingContext(ctx)
	return &cosiv1alpha2.DriverGetInfoResponse{Name: fmt.Sprint(len(secret["token"]))}, err
}

// TestRelaySecret passes on the Secret in the metadata of a call, which the journal does not have.
func TestRelaySecret(t *testing.T) {
	dir := t.TempDir()
	driver, socket := filepath.Join(dir, "d.sock"), filepath.Join(dir, "r.sock")
	server := grpc.NewServer()
	cosiv1alpha2.RegisterIdentityServer(server, telling{})
	serveOn(t, server, driver)
	events := journal.New(journal.Options{})
	i := seam.NewIncarnation(events, "driver", 1)
	r, err := newRelay(socket, Driver{Endpoint: "unix://" + driver, DialOptions: i.RelayOptions()})
	if err != nil {
		t.Fatal(err)
	}
	process := connectTo(t, r, socket)
	ctx, err := secretparameters.NewOutgoingContext(harness.Context(t), map[string][]byte{"token": []byte("hunter2")})
	if err != nil {
		t.Fatal(err)
	}
	info, err := cosiv1alpha2.NewIdentityClient(process).DriverGetInfo(ctx, &cosiv1alpha2.DriverGetInfoRequest{}, grpc.WaitForReady(true))
	if err != nil || info.GetName() != "7" {
		t.Errorf("DriverGetInfo() = %v, %v, want a driver that got the token", info, err)
	}
	recorded, err := json.Marshal(events.Since(0))
	if err != nil || len(events.Since(0)) != 1 || strings.Contains(string(recorded), "hunter2") {
		t.Errorf("the journal: %s, %v", recorded, err)
	}
}
