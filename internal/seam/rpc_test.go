package seam_test

import (
	"context"
	"net"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/seam"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

type vault struct {
	cosiv1alpha2.UnimplementedProvisionerServer
	during func(context.Context) // called in the middle of a grant
}

func (v *vault) DriverGrantBucketAccess(
	ctx context.Context, _ *cosiv1alpha2.DriverGrantBucketAccessRequest,
) (*cosiv1alpha2.DriverGrantBucketAccessResponse, error) {
	if v.during != nil {
		v.during(ctx)
	}
	return &cosiv1alpha2.DriverGrantBucketAccessResponse{Credentials: &cosiv1alpha2.CredentialInfo{
		S3: &cosiv1alpha2.S3CredentialInfo{AccessKeyId: "AKIA", AccessSecretKey: "hush"},
	}}, nil
}

func (v *vault) DriverDeleteBucket(
	context.Context, *cosiv1alpha2.DriverDeleteBucketRequest,
) (*cosiv1alpha2.DriverDeleteBucketResponse, error) {
	return nil, status.Error(codes.FailedPrecondition, "not empty")
}

func connectRPC(t *testing.T, client, server *seam.Incarnation, v cosiv1alpha2.ProvisionerServer) cosiv1alpha2.ProvisionerClient {
	t.Helper()
	listener := bufconn.Listen(1 << 16)
	s := grpc.NewServer(server.ServerOptions()...)
	cosiv1alpha2.RegisterProvisionerServer(s, v)
	served := make(chan error)
	go func() { served <- s.Serve(listener) }()
	dial := grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) })
	conn, err := grpc.NewClient("passthrough:bufconn",
		append(client.DialOptions(), dial, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close()
		s.Stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return cosiv1alpha2.NewProvisionerClient(conn)
}

func twoLives(t *testing.T) (client, server *seam.Incarnation, j *journal.Journal) {
	t.Helper()
	j = journal.New(journal.Options{})
	client, server = seam.NewIncarnation(j, "sidecar", 1), seam.NewIncarnation(j, "driver", 1)
	t.Cleanup(client.Fence)
	t.Cleanup(server.Fence)
	return client, server, j
}

func lines(j *journal.Journal) []string {
	var got []string
	for _, e := range j.Since(0) {
		got = append(got, strings.TrimSpace(e.Component+" "+e.Operation.String()+" "+e.Outcome+" "+e.Message))
	}
	return got
}

func TestRPCEvents(t *testing.T) {
	client, server, j := twoLives(t)
	driver := connectRPC(t, client, server, &vault{})
	if _, err := driver.DriverGrantBucketAccess(t.Context(), &cosiv1alpha2.DriverGrantBucketAccessRequest{AccountId: "ba-1"}); err != nil {
		t.Fatal(err)
	}
	_, err := driver.DriverDeleteBucket(t.Context(), &cosiv1alpha2.DriverDeleteBucketRequest{BucketId: "b"})
	if status.Code(err) != codes.FailedPrecondition {
		t.Fatalf("the seam has changed the error to %v", err)
	}
	want := []string{
		"driver DriverGrantBucketAccess ba-1 OK", "sidecar DriverGrantBucketAccess ba-1 OK",
		"driver DriverDeleteBucket b FailedPrecondition not empty", "sidecar DriverDeleteBucket b FailedPrecondition not empty",
	}
	if diff := cmp.Diff(want, lines(j)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	for _, e := range j.Since(0) {
		if strings.Contains(string(e.Response), "hush") {
			t.Errorf("the journal has a secret: %s", e.Response)
		}
	}
}

func TestRPCFence(t *testing.T) {
	t.Run("Client", func(t *testing.T) {
		client, server, _ := twoLives(t)
		inFlight, entered := make(chan error), make(chan struct{})
		driver := connectRPC(t, client, server, &vault{during: func(ctx context.Context) { close(entered); <-ctx.Done() }})
		go func() {
			_, err := driver.DriverGrantBucketAccess(context.Background(), &cosiv1alpha2.DriverGrantBucketAccessRequest{})
			inFlight <- err
		}()
		<-entered
		client.Fence()
		if err := <-inFlight; err == nil {
			t.Error("the call in flight has succeeded after the fence")
		}
		_, err := driver.DriverGrantBucketAccess(t.Context(), &cosiv1alpha2.DriverGrantBucketAccessRequest{})
		if status.Code(err) != codes.Unavailable {
			t.Errorf("a call after the fence: %v, want Unavailable", err)
		}
	})
	t.Run("ServerAfterActing", func(t *testing.T) {
		client, server, _ := twoLives(t)
		acted := false
		v := &vault{}
		fenced := make(chan struct{})
		v.during = func(ctx context.Context) {
			go func() { server.Fence(); close(fenced) }()
			<-ctx.Done()
			acted = true
		}
		driver := connectRPC(t, client, server, v)
		_, err := driver.DriverGrantBucketAccess(t.Context(), &cosiv1alpha2.DriverGrantBucketAccessRequest{})
		<-fenced
		if status.Code(err) != codes.Unavailable || !acted {
			t.Errorf("acted: %t, error: %v; a driver that is killed after it has acted gives no answer", acted, err)
		}
	})
}
