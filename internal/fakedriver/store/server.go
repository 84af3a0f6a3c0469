package store

import (
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
	// maxHeaderBytes is where net/http stops reading the head of a request. It
	// includes the URL, which is longer than S3's limit for headers when a
	// presigned URL has many of them.
	maxHeaderBytes = 64 << 10
	// shutdownTimeout is how long requests may take to end when the server does.
	shutdownTimeout = 5 * time.Second
	// connectionLevel is logr's verbosity 1, at which net/http says what is
	// wrong with connections.
	connectionLevel slog.Level = -1
)

// Serve serves S3 on a listener, which it closes, until the context is done or
// the store is closed. It returns when all requests have ended, and nil unless
// serving failed.
func (s *Store) Serve(ctx context.Context, l net.Listener) error {
	return s.serveHandler(ctx, l, s.handler)
}

func (s *Store) serveHandler(ctx context.Context, l net.Listener, next http.Handler) error {
	if !s.admit() {
		return l.Close()
	}
	defer s.servers.Done()
	// Closing a connection does not wait for its handler; this lock does.
	var running sync.RWMutex
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		running.RLock()
		defer running.RUnlock()
		next.ServeHTTP(w, r)
	})
	server := &http.Server{
		Handler: handler, MaxHeaderBytes: maxHeaderBytes,
		ReadHeaderTimeout: s.options.HeaderTimeout, IdleTimeout: s.options.IdleTimeout,
		// For requests that never get to the handler, such as those with an odd
		// Expect header, whose bodies net/http skips by itself.
		ReadTimeout: s.options.HeaderTimeout + s.options.BodyTimeout,
		ErrorLog:    slog.NewLogLogger(logr.ToSlogHandler(s.options.Logger), connectionLevel),
	}
	err := s.serve(ctx, server, l)
	running.Lock()
	defer running.Unlock()
	return err
}

// admit counts a server, unless the store is closed.
func (s *Store) admit() bool {
	s.admin <- struct{}{}
	defer func() { <-s.admin }()
	if s.isClosed() {
		return false
	}
	s.servers.Add(1)
	return true
}

func (s *Store) serve(ctx context.Context, server *http.Server, l net.Listener) error {
	var unused newcomers
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

// shutDown lets requests end, and after a while ends them.
func shutDown(server *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	err := server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return server.Close()
	}
	return err
}
