package gcs

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"

	"github.com/fsouza/fake-gcs-server/fakestorage"
)

var (
	errNoStore  = errors.New("the GCS service needs a store")
	errEndpoint = errors.New("the endpoint of the GCS service must be a URL such as http://127.0.0.1:9090")
)

// Service serves Google Cloud Storage. Its methods are safe for concurrent use.
// Objects are in memory, and with Options.Dir in files, too.
type Service struct {
	options Options
	library *fakestorage.Server
	handler http.Handler
	uploads uploads
	keeper  keeper

	// contents is held by whoever looks at objects or changes them, until the
	// answer begins: exclusively for changes, because the library has no way to
	// make one on a condition. It is taken before the gate of an account.
	contents   sync.RWMutex
	generation int64 // the newest
}

// New returns a service, with the buckets that the store has. The caller must Close
// it, and before the store.
func New(ctx context.Context, options Options) (*Service, error) {
	options = options.withDefaults()
	if err := options.validate(); err != nil {
		return nil, err
	}
	library, err := fakestorage.NewServerWithOptions(fakestorage.Options{
		NoListener: true, ExternalURL: options.Endpoint,
		// The library takes requests to this host, or below it, for others than
		// they are. Nobody can ask for one that is not known.
		PublicHost: rand.Text() + ".invalid",
	})
	if err != nil {
		return nil, fmt.Errorf("cannot start the GCS library: %w", err)
	}
	s := &Service{options: options, library: library, uploads: newUploads(options.UploadTimeout), keeper: keeper{options.Dir}}
	if err := s.recall(ctx); err != nil {
		s.Close()
		return nil, err
	}
	s.handler = options.Store.Patient(http.HandlerFunc(s.serve))
	if options.Middleware != nil {
		s.handler = options.Middleware(s.handler)
	}
	return s, nil
}

// Handler returns the service. It must be served as it is: a ServeMux in front
// would clean paths, which are names of objects.
func (s *Service) Handler() http.Handler { return s.handler }

// Serve serves on a listener, which it closes, until the context is done or the
// store is closed. It returns when all requests have ended, and nil unless serving
// failed.
func (s *Service) Serve(ctx context.Context, l net.Listener) error {
	return s.options.Store.ServeGuest(ctx, l, s.handler)
}

// Close ends what the library has begun.
func (s *Service) Close() { s.library.Stop() }
