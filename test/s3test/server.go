package s3test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/go-logr/logr"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/httpserver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
	s3plane "github.com/cosi-emu/cosi-emu/internal/dataplane/s3"
	"github.com/cosi-emu/cosi-emu/internal/store"
)

// Owner owns the buckets and accounts of tests.
const Owner = "test"

// Options configure a store and its S3 service.
type Options struct {
	// Options of the store.
	Dir         string
	Region      string
	MaxAccounts int
	Rand        io.Reader
	// Options of the service.
	Hosts        []string
	MaxBodyBytes int64
	CORSOrigins  []string
	WebIdentity  func(ctx context.Context, token, role string) (string, error)
	Middleware   func(http.Handler) http.Handler
	// Limits for slow clients.
	HeaderTimeout, IdleTimeout, BodyTimeout time.Duration
	MinRate                                 int64
	// Options of both.
	Now    func() time.Time
	Logger logr.Logger
}

// Open opens a store and its service. The caller closes the store.
func Open(o Options) (*Server, error) {
	opened, err := store.New(store.Options{
		Dir: o.Dir, Region: o.Region, MaxAccounts: o.MaxAccounts, Rand: o.Rand, Now: o.Now, Logger: o.Logger,
	})
	if err != nil {
		return nil, err
	}
	limits := httpserver.Limits{HeaderTimeout: o.HeaderTimeout, IdleTimeout: o.IdleTimeout, BodyTimeout: o.BodyTimeout, MinRate: o.MinRate}
	service, err := s3plane.New(s3plane.Options{
		Options: pipeline.Options{
			Store: opened, MaxBodyBytes: o.MaxBodyBytes, Limits: limits, Now: o.Now, Middleware: o.Middleware, Logger: o.Logger,
		},
		Hosts: o.Hosts, CORSOrigins: o.CORSOrigins, WebIdentity: o.WebIdentity, Rand: o.Rand,
	})
	if err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return &Server{Store: opened, Service: service}, nil
}

// Server is a store whose S3 service is being served.
type Server struct {
	*store.Store
	*s3plane.Service

	URL string
	// connect opens a connection; nil for TCP to the host of the URL.
	connect func(context.Context) (net.Conn, error)
}

// Serve starts a store, and stops it when the test ends.
func Serve(t *testing.T, options Options) *Server {
	t.Helper()
	l := Listen(t)
	s := serveOn(t, l, options)
	s.URL = "http://" + l.Addr().String()
	return s
}

func serveOn(t *testing.T, l net.Listener, options Options) *Server {
	t.Helper()
	s, err := Open(options)
	if err != nil {
		t.Fatalf("Open(): %v", err)
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

// Dial opens a connection, which is closed when the test ends.
func (s *Server) Dial(t *testing.T) net.Conn {
	t.Helper()
	conn, err := s.Open(t.Context())
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// Open opens a connection, which the caller must close.
func (s *Server) Open(ctx context.Context) (net.Conn, error) {
	if s.connect != nil {
		return s.connect(ctx)
	}
	return new(net.Dialer).DialContext(ctx, "tcp", strings.TrimPrefix(s.URL, "http://"))
}

// Transport returns a transport of its own, which is closed when the test ends.
func (s *Server) Transport(t *testing.T) *http.Transport {
	t.Helper()
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return s.Open(ctx) }}
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}

// Listen returns a listener on a free port.
func Listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Bucket creates a bucket.
func (s *Server) Bucket(t *testing.T, name string, change ...func(*fakedriver.BucketSpec)) {
	t.Helper()
	spec := fakedriver.BucketSpec{Name: name, Owner: Owner}
	for _, f := range change {
		f(&spec)
	}
	if _, err := s.CreateBucket(t.Context(), spec); err != nil {
		t.Fatalf("CreateBucket(%q): %v", name, err)
	}
}

// Account creates an account, and returns its key.
func (s *Server) Account(t *testing.T, id string, grants ...fakedriver.Grant) fakedriver.Credentials {
	t.Helper()
	c, err := s.PutAccount(t.Context(), fakedriver.AccountSpec{ID: id, Owner: Owner, Grants: grants})
	if err != nil {
		t.Fatalf("PutAccount(%q): %v", id, err)
	}
	return c
}

// Revoke deletes an account.
func (s *Server) Revoke(t *testing.T, id string) {
	t.Helper()
	if err := s.DeleteAccount(t.Context(), Owner, id); err != nil {
		t.Fatalf("DeleteAccount(%q): %v", id, err)
	}
}

// Client returns an SDK client like an application's: default configuration, and only the values of
// the Secret.
func (s *Server) Client(t *testing.T, c fakedriver.Credentials, change ...func(*s3.Options)) *s3.Client {
	t.Helper()
	cfg, err := config.LoadDefaultConfig(t.Context(),
		config.WithBaseEndpoint(s.URL),
		config.WithRegion(s.Region()),
		config.WithRetryMaxAttempts(1),
		config.WithCredentialsProvider(credentials.NewStaticCredentialsProvider(c.AccessKeyID, c.SecretAccessKey, "")))
	if err != nil {
		t.Fatal(err)
	}
	inTests := func(o *s3.Options) {
		o.UsePathStyle, o.DisableLogOutputChecksumValidationSkipped = true, true
		if s.connect != nil {
			o.HTTPClient = &http.Client{Transport: s.Transport(t)}
		}
	}
	return s3.NewFromConfig(cfg, append([]func(*s3.Options){inTests}, change...)...)
}

// NewTLS serves the store over TLS, too.
func NewTLS(t *testing.T, s *Server) *httptest.Server {
	t.Helper()
	secure := httptest.NewTLSServer(s.Handler())
	t.Cleanup(secure.Close)
	return secure
}

// ReadWrite is the grant to read and write the objects of a bucket.
func ReadWrite(bucket string) fakedriver.Grant {
	return fakedriver.Grant{Bucket: bucket, ObjectData: fakedriver.ReadWrite}
}

// Unserved opens a store without a server, and closes it when the test ends.
func Unserved(t *testing.T, options Options) *Server {
	t.Helper()
	s, err := Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// Admin creates an administrator, and returns its key.
func (s *Server) Admin(t *testing.T) fakedriver.Credentials {
	t.Helper()
	key, err := s.PutAccount(t.Context(), fakedriver.AccountSpec{ID: "admin", Owner: "admin", Admin: true})
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// Limited gives a bucket a quota.
func Limited(quota fakedriver.Quota) func(*fakedriver.BucketSpec) {
	return func(b *fakedriver.BucketSpec) { b.Quota = quota }
}

// InRegion gives a bucket a region of its own.
func InRegion(region string) func(*fakedriver.BucketSpec) {
	return func(spec *fakedriver.BucketSpec) { spec.Region = region }
}
