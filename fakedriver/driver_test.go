package fakedriver_test

import (
	"context"
	"net"
	"testing"

	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store"
	cosi "github.com/cosi-emu/cosi-emu/proto/cosi/v1alpha2"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const endpoint = "http://127.0.0.1:9000"

// client is a connection to a driver that is being served.
type client struct {
	cosi.IdentityClient
	cosi.ProvisionerClient
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
	l := bufconn.Listen(1 << 20)
	startOn(t, l, options)
	return dial(t, "passthrough:bufconn", grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
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
	conn, err := grpc.NewClient(target, append(options, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return client{cosi.NewIdentityClient(conn), cosi.NewProvisionerClient(conn)}
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

func createRequest(id string, note ...string) *cosi.DriverCreateBucketRequest {
	r := &cosi.DriverCreateBucketRequest{BucketId: id, Protocols: s3()}
	if len(note) > 0 {
		r.Parameters = map[string]string{fakedriver.ParameterNote: note[0]}
	}
	return r
}

func s3() []*cosi.ObjectProtocol { return []*cosi.ObjectProtocol{{Type: cosi.ObjectProtocol_S3}} }

func mode(m cosi.AccessMode_Mode) *cosi.AccessMode { return &cosi.AccessMode{Mode: m} }

func accessed(id string, data cosi.AccessMode_Mode) *cosi.DriverGrantBucketAccessRequest_AccessedBucket {
	return &cosi.DriverGrantBucketAccessRequest_AccessedBucket{
		BucketId: id, ObjectDataAccessMode: mode(data),
		ObjectMetadataAccessMode: mode(cosi.AccessMode_ANY), BucketMetadataAccessMode: mode(cosi.AccessMode_ANY),
	}
}

func grantRequest(id string, buckets ...*cosi.DriverGrantBucketAccessRequest_AccessedBucket) *cosi.DriverGrantBucketAccessRequest {
	return &cosi.DriverGrantBucketAccessRequest{
		AccountId: id, Protocol: s3()[0], Buckets: buckets,
		AuthenticationType: &cosi.AuthenticationType{Type: cosi.AuthenticationType_KEY},
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
