package gcs

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
)

var errNoStore = errors.New("the GCS service needs a store")

// Service serves Google Cloud Storage. Its methods are safe for concurrent use.
// Objects are in memory, and with Options.Dir in files, too. It ends with its
// store.
type Service struct {
	options Options
	handler http.Handler
	uploads uploads
	files   objectFiles

	// lock is held while objects are read or changed, until the answer begins, and
	// guards the fields that follow. It is taken before the gate of an account.
	lock       sync.RWMutex
	contents   contents
	generation int64 // the newest
}

// New returns a service, with the buckets that the store has, and what is kept of
// their objects.
func New(ctx context.Context, options Options) (*Service, error) {
	if options.Store == nil {
		return nil, errNoStore
	}
	options = options.withDefaults()
	s := &Service{
		options: options, uploads: newUploads(options.UploadTimeout, options.Now), files: objectFiles{options.Dir}, contents: contents{},
	}
	if err := s.load(ctx); err != nil {
		return nil, err
	}
	s.handler = options.Store.WithTimeouts(http.HandlerFunc(s.serve))
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
	return s.options.Store.ServeOther(ctx, l, s.handler)
}
