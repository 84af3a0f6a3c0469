package azure

import (
	"context"
	"errors"
	"net"
	"net/http"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/httpserver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
)

var errNoStore = errors.New("the Azure service needs a store")

// Service serves Azure Blob Storage. Its methods are safe for concurrent use. It stops with its
// store, which has all its data.
type Service struct {
	options  Options
	protocol *pipeline.Protocol[*exchange]
	handler  http.Handler
}

// New returns a service for the store's buckets.
func New(options Options) (*Service, error) {
	if options.Store == nil {
		return nil, errNoStore
	}
	s := &Service{options: options.withDefaults()}
	s.protocol = s.newProtocol()
	s.handler = options.Store.WithTimeouts(http.HandlerFunc(s.serve))
	if options.Middleware != nil {
		s.handler = options.Middleware(s.handler)
	}
	return s, nil
}

// Handler returns the handler. It must not be behind a ServeMux, which would clean paths: they are
// names of blobs.
func (s *Service) Handler() http.Handler { return s.handler }

// Unwrapped returns the service without its middleware, for requests of this process.
func (s *Service) Unwrapped() http.Handler { return http.HandlerFunc(s.serve) }

// Serve serves on a listener until the context is done or the store is closed, and closes
// the listener. It returns when all requests have ended. The error is nil unless serving
// failed.
func (s *Service) Serve(ctx context.Context, l net.Listener) error {
	return s.options.Store.ServeOther(ctx, l, s.handler)
}

// Describe returns the operation of a request without authentication, for recording and selecting
// requests.
func (s *Service) Describe(r *http.Request) httpserver.Request {
	t, err := locate(r.URL)
	if err != nil {
		return httpserver.Request{}
	}
	described := httpserver.Request{Bucket: t.container, Key: t.blob}
	if op, ok := find(r.Method, t, r.URL.Query(), r.Header); ok {
		described.Operation = op.name
	}
	return described
}
