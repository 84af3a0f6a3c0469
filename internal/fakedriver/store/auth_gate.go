package store

import (
	"net/http"
	"slices"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store/internal/s3error"
)

// Revocation and requests meet at the account's gate, principal.writes. A
// request holds it, shared, from a last look at its key to the beginning of its
// answer: all of that time if it changes something, and just for the beginning
// of the answer if not. Whoever revokes the key first makes it unknown, and then
// waits for the gate. So, once revoking has returned, nothing is changed with
// the key any more, and no answer begins that is not a refusal; while slow
// clients, sending or taking data, keep nobody waiting. An answer that had begun
// is sent to its end. Who also takes the lock of administrative methods takes
// that first.

// enter makes a request hold the gate of its account. It returns
// InvalidAccessKeyId if its key is revoked, even if that was after the request,
// or half of its body, came in.
func (s *Store) enter(x *exchange) error {
	for !x.entered {
		x.principal.writes.RLock()
		current, live := s.registry.current(x.identity)
		if live && current == x.principal {
			x.entered = true
			return nil
		}
		x.principal.writes.RUnlock()
		if !live {
			return s3error.ErrInvalidAccessKeyID
		}
		x.principal = current // a session outlives the key of its account
	}
	return nil
}

// leave ends what enter has begun.
func (x *exchange) leave() {
	if x.entered {
		x.entered = false
		x.principal.writes.RUnlock()
	}
}

// begin begins an answer that has no more than headers, which net/http would send
// without asking at the gate.
func (x *exchange) begin() {
	if gated, ok := x.w.(*gatedWriter); ok && !gated.begun {
		gated.WriteHeader(http.StatusOK)
	}
}

// gatedWriter begins an answer only at the gate of the account that it is for.
type gatedWriter struct {
	http.ResponseWriter

	store   *Store
	x       *exchange
	begun   bool
	refused bool
}

// Unwrap lets http.ResponseController find the connection.
func (g *gatedWriter) Unwrap() http.ResponseWriter { return g.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (g *gatedWriter) WriteHeader(status int) {
	if g.begun || status < http.StatusOK {
		g.ResponseWriter.WriteHeader(status)
		return
	}
	g.begun = true
	if err := g.store.enter(g.x); err != nil {
		g.refuse(err)
		return
	}
	defer g.x.leave()
	g.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (g *gatedWriter) Write(data []byte) (int, error) {
	if !g.begun {
		g.WriteHeader(http.StatusOK)
	}
	if g.refused {
		return 0, s3error.ErrInvalidAccessKeyID
	}
	return g.ResponseWriter.Write(data)
}

// anyAnswer are the headers that say nothing about what was asked for.
var anyAnswer = []string{"Connection", "Server", "X-Amz-Id-2", "X-Amz-Request-Id"}

// refuse answers with an error instead, and with nothing of what was prepared.
func (g *gatedWriter) refuse(err error) {
	g.refused = true
	header := g.Header()
	for name := range header {
		if !slices.Contains(anyAnswer, name) {
			delete(header, name)
		}
	}
	s3error.Write(g.ResponseWriter, g.x.r, g.x.id, s3error.From(err))
}
