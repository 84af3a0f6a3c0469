package s3

import (
	"net/http"
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3error"
)

// begin starts a response without body, which net/http would send without a call of WriteHeader.
func (x *exchange) begin() {
	if gated, ok := x.W.(*gatedWriter); ok && !gated.started {
		gated.WriteHeader(http.StatusOK)
	}
}

// gatedWriter starts the response only after it has entered the gate of the caller's account.
type gatedWriter struct {
	http.ResponseWriter

	x        *exchange
	started  bool
	rejected bool
}

func (g *gatedWriter) Unwrap() http.ResponseWriter { return g.ResponseWriter }

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

// enter enters the gate of the caller's account. It fails if the key was revoked.
func (x *exchange) enter() error {
	if x.Caller.Enter() != nil {
		return s3error.ErrInvalidAccessKeyID
	}
	return nil
}

func (g *gatedWriter) Write(data []byte) (int, error) {
	if !g.started {
		g.WriteHeader(http.StatusOK)
	}
	if g.rejected {
		return 0, s3error.ErrInvalidAccessKeyID
	}
	return g.ResponseWriter.Write(data)
}

// anyAnswer are headers that do not depend on the request.
var anyAnswer = []string{"Connection", "Server", "X-Amz-Id-2", "X-Amz-Request-Id"}

// reject sends an error, without the headers of the prepared response.
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
