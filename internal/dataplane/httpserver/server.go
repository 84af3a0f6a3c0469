package httpserver

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/go-logr/logr"
)

const (
	// maxHeaderBytes is net/http's limit for the head of a request. It includes the URL, which is
	// longer than S3's limit for headers when a presigned URL has many of them.
	maxHeaderBytes = 64 << 10
	// shutdownTimeout is the time for requests to end when the server ends.
	shutdownTimeout = 5 * time.Second
	// connectionLevel is logr's verbosity 1, at which net/http reports errors of
	// connections.
	connectionLevel slog.Level = -1
)

// Limits are the limits for clients.
type Limits struct {
	// HeaderTimeout is the time limit for the head of a request, from its first byte; for the first
	// request, from the start of the connection. Default: ten seconds.
	HeaderTimeout time.Duration
	// IdleTimeout limits the time of a connection without a request. Default: two minutes.
	IdleTimeout time.Duration
	// BodyTimeout limits the time without progress of a request or response body. Default: one
	// minute.
	BodyTimeout time.Duration
	// MinRate is the minimum rate of a client, in bytes per second of a body that it sends or
	// receives, on average and after BodyTimeout. Default: 1024.
	MinRate int64
}

func (l Limits) withDefaults() Limits {
	return Limits{
		HeaderTimeout: cmp.Or(l.HeaderTimeout, 10*time.Second), IdleTimeout: cmp.Or(l.IdleTimeout, 2*time.Minute),
		BodyTimeout: cmp.Or(l.BodyTimeout, time.Minute), MinRate: cmp.Or(l.MinRate, 1<<10),
	}
}

// Server serves handlers until it is closed. Its methods are safe for concurrent
// use.
type Server struct {
	limits  Limits
	logger  logr.Logger
	closing <-chan struct{}

	mu      sync.Mutex
	serving sync.WaitGroup
}

// New returns a server that ends with a channel.
func New(limits Limits, logger logr.Logger, closing <-chan struct{}) *Server {
	return &Server{limits: limits.withDefaults(), logger: logger, closing: closing}
}

// Serve serves a handler on a listener, which it closes, until the context or the server ends. It
// returns when all requests have ended, and nil unless serving failed.
func (s *Server) Serve(ctx context.Context, l net.Listener, next http.Handler) error {
	if !s.admit() {
		return l.Close()
	}
	defer s.serving.Done()
	// Closing a connection does not wait for its handler; this lock does.
	var running sync.RWMutex
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		running.RLock()
		defer running.RUnlock()
		next.ServeHTTP(w, r)
	})
	server := &http.Server{
		Handler: handler, MaxHeaderBytes: maxHeaderBytes,
		ReadHeaderTimeout: s.limits.HeaderTimeout, IdleTimeout: s.limits.IdleTimeout,
		// For requests that never reach the handler, such as those with an odd Expect header, whose
		// bodies net/http skips by itself.
		ReadTimeout: s.limits.HeaderTimeout + s.limits.BodyTimeout,
		ErrorLog:    slog.NewLogLogger(logr.ToSlogHandler(s.logger), connectionLevel),
	}
	err := s.serve(ctx, server, l)
	running.Lock()
	defer running.Unlock()
	return err
}

func (s *Server) admit() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.closing:
		return false
	default:
		s.serving.Add(1)
		return true
	}
}

// Wait returns when every Serve has returned. The server must have ended.
func (s *Server) Wait() {
	s.mu.Lock()   // a Serve that has not noticed the end is counted now
	s.mu.Unlock() //nolint:staticcheck,gocritic // acquiring it is all
	s.serving.Wait()
}

func (s *Server) serve(ctx context.Context, server *http.Server, l net.Listener) error {
	var unused idleConns
	server.ConnState = unused.watch
	server.RegisterOnShutdown(unused.close)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return errors.Join(err, server.Close())
	case <-ctx.Done():
	case <-s.closing:
	}
	err := shutDown(server) //nolint:contextcheck // the context has ended already
	if served := <-failed; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// shutDown waits for requests to end, and aborts them after shutdownTimeout.
func shutDown(server *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	err := server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return server.Close()
	}
	return err
}
