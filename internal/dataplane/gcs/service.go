package gcs

import (
	"context"
	"errors"
	"net"
	"net/http"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/signature"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3"
)

var errNoStore = errors.New("the GCS service needs a store")

// Service serves Google Cloud Storage. Its methods are safe for concurrent use. It stops with its
// store, which has all its data.
type Service struct {
	options  Options
	protocol *pipeline.Protocol[*exchange]
	handler  http.Handler
	single   http.Handler // for the calls of a batch, which have been received
	xml      *s3.Service  // for signed requests of the XML API
	// signatures verifies requests of the XML API.
	signatures *signature.Verifier
}

// New returns a service for the store's buckets.
func New(options Options) (*Service, error) {
	if options.Store == nil {
		return nil, errNoStore
	}
	s := &Service{options: options.withDefaults()}
	s.protocol = s.newProtocol()
	s.signatures = signature.New(options.Store, s.options.Now)
	var err error
	if s.xml, err = options.Store.NewDialect(s.dialect(), s.options.MaxBodyBytes); err != nil {
		return nil, err
	}
	s.single = s.Unwrapped()
	s.handler = options.Store.WithTimeouts(s.single)
	if options.Middleware != nil {
		s.handler, s.single = options.Middleware(s.handler), options.Middleware(s.single)
	}
	return s, nil
}

// Handler returns the handler. It must not be behind a ServeMux, which would clean
// paths: they are names of objects.
func (s *Service) Handler() http.Handler { return s.handler }

// Unwrapped returns the service without its middleware, for requests of this process.
func (s *Service) Unwrapped() http.Handler { return http.HandlerFunc(s.route) }

// Serve serves on a listener until the context is done or the store is closed, and
// closes the listener. It returns when all requests have ended. The error is nil
// unless serving failed.
func (s *Service) Serve(ctx context.Context, l net.Listener) error {
	return s.options.Store.ServeOther(ctx, l, s.handler)
}
