package pipeline

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"time"

	"github.com/go-logr/logr"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/httpserver"
	"github.com/cosi-emu/cosi-emu/internal/store"
)

// Options configure the service of a protocol.
type Options struct {
	// Store has the buckets, accounts, grants and objects; required.
	Store *store.Store
	// MaxBodyBytes is the maximum size of a request body, and so of an object in one request, or of a
	// part of one. Default: 1 GiB.
	MaxBodyBytes int64
	// Limits are the limits for slow clients.
	Limits httpserver.Limits
	// Now is the clock for request times, expiry and the times of objects. Default: time.Now.
	Now func() time.Time
	// Middleware wraps the whole handler, if set.
	Middleware func(http.Handler) http.Handler
	// Logger logs rejected requests at verbosity 1, and internal errors.
	// Default: nothing is logged.
	Logger logr.Logger
}

const defaultMaxBodyBytes = 1 << 30

// WithDefaults returns complete options.
func (o Options) WithDefaults() Options {
	o.MaxBodyBytes = cmp.Or(max(o.MaxBodyBytes, 0), defaultMaxBodyBytes)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger.GetSink() == nil {
		o.Logger = logr.Discard()
	}
	if o.Middleware == nil {
		o.Middleware = func(next http.Handler) http.Handler { return next }
	}
	return o
}

// Service is the part of a service that all protocols have. It ends with its store, which has all its data.
type Service struct {
	handler, unwrapped http.Handler
	server             *httpserver.Server
}

// NewService returns a service with complete options, whose requests a handler answers.
func NewService(o Options, unwrapped http.Handler) *Service {
	server := httpserver.New(o.Limits, o.Logger, o.Store.Closing())
	o.Store.BeforeClose(server.Wait)
	return &Service{handler: o.Middleware(server.WithTimeouts(unwrapped)), unwrapped: unwrapped, server: server}
}

// Handler returns the handler. It must not be behind a ServeMux, which would clean paths: they are
// names of objects.
func (s *Service) Handler() http.Handler { return s.handler }

// Unwrapped returns the service without its middleware, for requests of this process.
func (s *Service) Unwrapped() http.Handler { return s.unwrapped }

// Serve serves on a listener until the context is done or the store is closed, and closes the
// listener. It returns when all requests have ended. The error is nil unless serving failed.
func (s *Service) Serve(ctx context.Context, l net.Listener) error {
	return s.ServeHandler(ctx, l, s.handler)
}

// ServeHandler serves another handler in the same way.
func (s *Service) ServeHandler(ctx context.Context, l net.Listener, handler http.Handler) error {
	return s.server.Serve(ctx, l, handler)
}
