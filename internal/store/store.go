package store

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/httpserver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/authentication"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/store/administration"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
	"github.com/cosi-emu/cosi-emu/internal/store/blobstore"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
	"github.com/cosi-emu/cosi-emu/internal/store/persistence"
)

// Store is an S3 store with accounts. Its methods are safe for concurrent use.
type Store struct {
	*administration.Administrator

	options  Options
	registry *authorization.Registry
	blobs    blobstore.Store
	contents *objects.Store
	server   *httpserver.Server
	s3       *s3.Service
	verifier *authentication.Authenticator
	handler  http.Handler

	closeOnce sync.Once
	closeErr  error
}

// New opens a store. The caller must Close it.
func New(options Options) (*Store, error) {
	options = options.withDefaults()
	blobs, err := persistence.Open(options.Dir)
	if err != nil {
		return nil, err
	}
	s := &Store{options: options, registry: authorization.NewRegistry(), blobs: blobs}
	if err := s.load(); err != nil {
		return nil, errors.Join(err, blobs.Close())
	}
	return s, nil
}

// load creates the parts and loads the contents of the blob store.
func (s *Store) load() error {
	o := s.options
	contents, err := objects.New(objects.Options{Blobs: s.blobs, Rand: o.Rand, Now: o.Now})
	if err != nil {
		return err
	}
	s.contents = contents
	records := persistence.New(s.blobs)
	if err := records.Load(s.registry); err != nil {
		return err
	}
	if err := s.blobs.Sweep(); err != nil {
		return err
	}
	s.Administrator = administration.New(administration.Options{
		Registry: s.registry, Records: records, Contents: contents, MaxAccounts: o.MaxAccounts, Rand: o.Rand, Now: o.Now,
	})
	s.reportDamage()
	s.server = httpserver.New(httpserver.Options{
		HeaderTimeout: o.HeaderTimeout, IdleTimeout: o.IdleTimeout, BodyTimeout: o.BodyTimeout, MinRate: o.MinRate, Logger: o.Logger,
	}, s.Closing())
	s.verifier = authentication.New(s.registry, o.Now)
	s.s3, err = s.newS3(o.MaxBodyBytes, o.Hosts, nil)
	if err != nil {
		return err
	}
	s.handler = s.WithTimeouts(s.s3)
	if o.Middleware != nil {
		s.handler = o.Middleware(s.handler)
	}
	return nil
}

// reportDamage logs damaged contents. The rest is served.
func (s *Store) reportDamage() {
	for _, d := range s.Administrator.Damaged() {
		s.options.Logger.Error(d.Cause, "content is damaged: restore the file while the store is stopped, or write or delete the object",
			"bucket", d.Bucket, "key", d.Key, "version", d.Version, "upload", d.Upload)
	}
}

func (s *Store) newS3(maxBodyBytes int64, hosts []string, dialect *s3exchange.Dialect) (*s3.Service, error) {
	o := s.options
	return s3.New(s3.Options{
		Administrator: s.Administrator, Registry: s.registry, Contents: s.contents, Blobs: s.blobs, Region: o.Region, Hosts: hosts,
		MaxBodyBytes: maxBodyBytes, CORSOrigins: o.CORSOrigins, WebIdentity: o.WebIdentity, Issued: o.Issued, Dialect: dialect,
		Rand: o.Rand, Now: o.Now, Logger: o.Logger,
	})
}

// NewDialect returns a service for buckets of another protocol, whose requests and responses are
// otherwise S3's.
func (s *Store) NewDialect(dialect *s3exchange.Dialect, maxBodyBytes int64) (*s3.Service, error) {
	return s.newS3(maxBodyBytes, nil, dialect)
}

// VerifyS3 returns the caller and the signature of a request that is signed as for S3.
func (s *Store) VerifyS3(r *http.Request, query url.Values) (*authorization.Caller, authentication.Signature, error) {
	return s.verifier.Authenticate(r, query)
}

// Handler returns the S3 handler. It must not be behind a ServeMux, which would clean paths: they
// are object keys.
func (s *Store) Handler() http.Handler { return s.handler }

// Unwrapped returns the S3 service without its middleware, for requests of this process.
func (s *Store) Unwrapped() http.Handler { return s.s3 }

// Region returns the region that requests must be signed for.
func (s *Store) Region() string { return s.options.Region }

// Describe returns the operation of an S3 request without authentication, for recording and
// selecting requests.
func (s *Store) Describe(r *http.Request) httpserver.Request { return s.s3.Describe(r) }

// AllowOrigin returns a writer for another component's response to an S3 request. For a page of
// another origin, it adds the page's permissions.
func (s *Store) AllowOrigin(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
	return s.s3.AllowOrigin(w, r)
}

// Serve serves S3 on a listener until the context is done or the store is closed, and
// closes the listener. It returns when all requests have ended. The error is nil
// unless serving failed.
func (s *Store) Serve(ctx context.Context, l net.Listener) error {
	return s.server.Serve(ctx, l, s.handler)
}

// ServeOther serves another protocol in the same way.
func (s *Store) ServeOther(ctx context.Context, l net.Listener, handler http.Handler) error {
	return s.server.Serve(ctx, l, handler)
}

// WithTimeouts applies the store's deadlines to a handler's requests and responses.
func (s *Store) WithTimeouts(next http.Handler) http.Handler { return s.server.WithTimeouts(next) }

// Authenticate returns the caller with a key, for protocols whose clients send the
// secret. The error is of kind authorization.ErrIdentity or fakedriver.ErrClosed.
func (s *Store) Authenticate(accessKeyID, secret string) (*authorization.Caller, error) {
	if s.IsClosed() {
		return nil, fakedriver.ErrClosed
	}
	return s.registry.Authenticate(accessKeyID, secret)
}

// Caller returns the caller with a key, for protocols whose clients sign requests. It does not
// check a signature. The error is of kind authorization.ErrIdentity or fakedriver.ErrClosed.
func (s *Store) Caller(accessKeyID string) (*authorization.Caller, error) {
	if s.IsClosed() {
		return nil, fakedriver.ErrClosed
	}
	caller, known := s.registry.Caller(accessKeyID)
	if !known {
		return nil, fmt.Errorf("key %w", authorization.ErrIdentity)
	}
	return caller, nil
}

// Bucket returns the contents of a bucket of any protocol. The error is of kind fakedriver.ErrNotExist or
// fakedriver.ErrClosed.
func (s *Store) Bucket(ctx context.Context, name string) (*objects.Bucket, error) {
	b, err := s.GetBucket(ctx, name)
	if err != nil {
		return nil, err
	}
	return s.contents.Bucket(b.UID)
}

// Objects returns the contents of the buckets of all protocols. A bucket has its UID as ID
// there.
func (s *Store) Objects() *objects.Store { return s.contents }

// Blobs returns the store for the bytes that the services of all protocols receive.
func (s *Store) Blobs() blobstore.Store { return s.blobs }

// Close ends all Serve calls and closes the store's files. Later requests to Handler
// get ServiceUnavailable.
func (s *Store) Close() error {
	s.closeOnce.Do(func() {
		s.Administrator.Close()
		s.server.Wait()
		s.closeErr = s.blobs.Close()
	})
	return s.closeErr
}
