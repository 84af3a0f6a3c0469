package embedded

import (
	"bufio"
	"context"
	"net"
	"net/http"
)

// closeUpgraded closes the connection of a client when the server ends: an HTTP server forgets the
// connections that have become streams.
func closeUpgraded(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "" {
			w = &upgrade{w, r.Context()}
		}
		handler.ServeHTTP(w, r)
	})
}

// upgrade is the response to a request that asks for an upgrade of its connection.
type upgrade struct {
	http.ResponseWriter

	running context.Context //nolint:containedctx // the life of the request
}

var (
	_ http.Hijacker = &upgrade{}
	_ http.Flusher  = &upgrade{}

	_ http.CloseNotifier = &upgrade{} //nolint:staticcheck // the handlers of k8s.io/apiserver keep Hijack only beside it
)

// Hijack implements http.Hijacker.
func (u *upgrade) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(u.ResponseWriter).Hijack()
	if err == nil {
		context.AfterFunc(u.running, func() { _ = conn.Close() })
	}
	return conn, buffered, err
}

// Flush implements http.Flusher.
func (u *upgrade) Flush() { _ = http.NewResponseController(u.ResponseWriter).Flush() }

// CloseNotify implements http.CloseNotifier. Nothing uses the result: the context of the request ends
// with its client.
func (u *upgrade) CloseNotify() <-chan bool { return make(chan bool) }

// Unwrap is for http.ResponseController.
func (u *upgrade) Unwrap() http.ResponseWriter { return u.ResponseWriter }
