package s3

import (
	"net/http"
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/s3error"
)

// begin begins an answer that has no more than headers, which net/http would send
// without asking at the gate.
func (x *exchange) begin() {
	if gated, ok := x.W.(*gatedWriter); ok && !gated.started {
		gated.WriteHeader(http.StatusOK)
	}
}

// gatedWriter begins an answer only at the gate of the account that it is for.
type gatedWriter struct {
	http.ResponseWriter

	x        *exchange
	started  bool
	rejected bool
}

// Unwrap lets http.ResponseController find the connection.
func (g *gatedWriter) Unwrap() http.ResponseWriter { return g.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (g *gatedWriter) WriteHeader(status int) {
	if g.started || status < http.StatusOK {
		g.ResponseWriter.WriteHeader(status)
		return
	}
	g.started = true
	if err := g.x.enter(); err != nil {
		g.reject(err)
		return
	}
	defer g.x.Caller.Leave()
	g.ResponseWriter.WriteHeader(status)
}

// enter takes the gate of the caller's account.
func (x *exchange) enter() error {
	if x.Caller.Enter() != nil {
		return s3error.ErrInvalidAccessKeyID
	}
	return nil
}

// Write implements http.ResponseWriter.
func (g *gatedWriter) Write(data []byte) (int, error) {
	if !g.started {
		g.WriteHeader(http.StatusOK)
	}
	if g.rejected {
		return 0, s3error.ErrInvalidAccessKeyID
	}
	return g.ResponseWriter.Write(data)
}

// anyAnswer are the headers that say nothing about what was asked for.
var anyAnswer = []string{"Connection", "Server", "X-Amz-Id-2", "X-Amz-Request-Id"}

// reject answers with an error instead, and with nothing of what was prepared.
func (g *gatedWriter) reject(err error) {
	g.rejected = true
	header := g.Header()
	for name := range header {
		if !slices.Contains(anyAnswer, name) {
			delete(header, name)
		}
	}
	s3error.Write(g.ResponseWriter, g.x.R, g.x.ID, s3error.From(err))
}
