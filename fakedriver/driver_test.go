package fakedriver_test

import (
	"context"
	"net"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/store"
	cosiv1alpha2 "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

func TestMain(m *testing.M) { leaks.Main(m) }

const endpoint = "http://127.0.0.1:9000"

type client struct {
	cosiv1alpha2.IdentityClient
	cosiv1alpha2.ProvisionerClient
}

func newStore(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.New(store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// start serves a driver over bufconn, and stops it when the test ends.
func start(t *testing.T, options fakedriver.Options) client {
	t.Helper()
	conn := connect(t, options)
	return client{cosiv1alpha2.NewIdentityClient(conn), cosiv1alpha2.NewProvisionerClient(conn)}
}

// connect is start for any dialect.
func connect(t *testing.T, options fakedriver.Options) *grpc.ClientConn {
	t.Helper()
	l := bufconn.Listen(1 << 20)
	startOn(t, l, options)
	return dialConn(t, "passthrough:bufconn", grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
		return l.DialContext(ctx)
	}))
}

func startOn(t *testing.T, l net.Listener, options fakedriver.Options) {
	t.Helper()
	options.Endpoint = endpoint
	if options.Backend == nil {
		options.Backend = newStore(t)
	}
	d, err := fakedriver.New(options)
	if err != nil {
		t.Fatalf("New(): %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- d.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Serve(): %v", err)
		}
	})
}

func dial(t *testing.T, target string, options ...grpc.DialOption) client {
	t.Helper()
	conn := dialConn(t, target, options...)
	return client{cosiv1alpha2.NewIdentityClient(conn), cosiv1alpha2.NewProvisionerClient(conn)}
}

func dialConn(t *testing.T, target string, options ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(target, append(options, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func wantCode(t *testing.T, err error, want codes.Code) {
	t.Helper()
	if got := status.Code(err); got != want {
		t.Errorf("code %s (%v), want %s", got, err, want)
	}
	if s := status.Convert(err); err != nil && (s.Message() == "" || len(s.Details()) > 0) {
		t.Errorf("status %v: the message must not be empty, and the details must be", s)
	}
}

func createRequest(id string, note ...string) *cosiv1alpha2.DriverCreateBucketRequest {
	r := &cosiv1alpha2.DriverCreateBucketRequest{BucketId: id, Protocols: s3()}
	if len(note) > 0 {
		r.Parameters = map[string]string{fakedriver.ParameterNote: note[0]}
	}
	return r
}

func s3() []*cosiv1alpha2.ObjectProtocol {
	return []*cosiv1alpha2.ObjectProtocol{{Type: cosiv1alpha2.ObjectProtocol_S3}}
}

func mode(m cosiv1alpha2.AccessMode_Mode) *cosiv1alpha2.AccessMode {
	return &cosiv1alpha2.AccessMode{Mode: m}
}

func accessed(id string, data cosiv1alpha2.AccessMode_Mode) *cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket {
	return &cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket{
		BucketId: id, ObjectDataAccessMode: mode(data),
		ObjectMetadataAccessMode: mode(cosiv1alpha2.AccessMode_ANY), BucketMetadataAccessMode: mode(cosiv1alpha2.AccessMode_ANY),
	}
}

func grantRequest(
	id string, buckets ...*cosiv1alpha2.DriverGrantBucketAccessRequest_AccessedBucket,
) *cosiv1alpha2.DriverGrantBucketAccessRequest {
	return &cosiv1alpha2.DriverGrantBucketAccessRequest{
		AccountId: id, Protocol: s3()[0], Buckets: buckets,
		AuthenticationType: &cosiv1alpha2.AuthenticationType{Type: cosiv1alpha2.AuthenticationType_KEY},
	}
}

func (c client) create(t *testing.T, ids ...string) {
	t.Helper()
	for _, id := range ids {
		if _, err := c.DriverCreateBucket(t.Context(), createRequest(id)); err != nil {
			t.Fatalf("DriverCreateBucket(%q): %v", id, err)
		}
	}
}
