package store_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/store"
	"github.com/cosi-emu/cosi-emu/test/harness/leaks"
)

func TestMain(m *testing.M) { leaks.Main(m) }

const owner = "test"

// server is a store that is being served.
type server struct {
	*store.Store

	url string
	// connect opens a connection; nil for TCP to the host of the URL.
	connect func(context.Context) (net.Conn, error)
}

// serve starts a store, and stops it when the test ends.
func serve(t *testing.T, options store.Options) *server {
	t.Helper()
	l := listen(t)
	return &server{Store: serveOn(t, l, options), url: "http://" + l.Addr().String()}
}

func serveOn(t *testing.T, l net.Listener, options store.Options) *store.Store {
	t.Helper()
	s, err := store.New(options)
	if err != nil {
		t.Fatalf("New(): %v", err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(context.Background(), l) }()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		if err := s.Close(); err != nil {
			t.Errorf("Close(): %v", err)
		}
		if err := <-done; err != nil {
			t.Errorf("Serve(): %v", err)
		}
	})
	return s
}

func (s *server) dial(t *testing.T) net.Conn {
	t.Helper()
	conn, err := s.open(t.Context())
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func (s *server) open(ctx context.Context) (net.Conn, error) {
	if s.connect != nil {
		return s.connect(ctx)
	}
	return new(net.Dialer).DialContext(ctx, "tcp", strings.TrimPrefix(s.url, "http://"))
}

// transport returns a transport of its own, which is closed when the test ends.
func (s *server) transport(t *testing.T) *http.Transport {
	t.Helper()
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return s.open(ctx) }}
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (s *server) bucket(t *testing.T, name string, change ...func(*fakedriver.BucketSpec)) {
	t.Helper()
	spec := fakedriver.BucketSpec{Name: name, Owner: owner}
	for _, f := range change {
		f(&spec)
	}
	if _, err := s.CreateBucket(t.Context(), spec); err != nil {
		t.Fatalf("CreateBucket(%q): %v", name, err)
	}
}

func (s *server) account(t *testing.T, id string, grants ...fakedriver.Grant) fakedriver.Credentials {
	t.Helper()
	c, err := s.PutAccount(t.Context(), fakedriver.AccountSpec{ID: id, Owner: owner, Grants: grants})
	if err != nil {
		t.Fatalf("PutAccount(%q): %v", id, err)
	}
	return c
}

func (s *server) revoke(t *testing.T, id string) {
	t.Helper()
	if err := s.DeleteAccount(t.Context(), owner, id); err != nil {
		t.Fatalf("DeleteAccount(%q): %v", id, err)
	}
}

// client returns an SDK client like an application's: default configuration, and only the values of
// the Secret.
func (s *server) client(t *testing.T, c fakedriver.Credentials, change ...func(*s3.Options)) *s3.Client {
	t.Helper()
	cfg, err := config.LoadDefaultConfig(t.Context(),
		config.WithBaseEndpoint(s.url),
		config.WithRegion(s.Region()),
		config.WithRetryMaxAttempts(1),
		config.WithCredentialsProvider(credentials.NewStaticCredentialsProvider(c.AccessKeyID, c.SecretAccessKey, "")))
	if err != nil {
		t.Fatal(err)
	}
	inTests := func(o *s3.Options) {
		o.UsePathStyle, o.DisableLogOutputChecksumValidationSkipped = true, true
		if s.connect != nil {
			o.HTTPClient = &http.Client{Transport: s.transport(t)}
		}
	}
	return s3.NewFromConfig(cfg, append([]func(*s3.Options){inTests}, change...)...)
}

func newTLS(t *testing.T, s *server) *httptest.Server {
	t.Helper()
	secure := httptest.NewTLSServer(s.Handler())
	t.Cleanup(secure.Close)
	return secure
}

func readWrite(bucket string) fakedriver.Grant {
	return fakedriver.Grant{Bucket: bucket, ObjectData: fakedriver.ReadWrite}
}

func ptr(s string) *string { return aws.String(s) }
