package gcs

import (
	"bytes"
	"net/http"
	"net/url"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/authorization"
)

// exchange is one request on its way through the phases, each of which adds what
// it has found out.
type exchange struct {
	w http.ResponseWriter
	r *http.Request

	target    target
	query     url.Values
	caller    *authorization.Caller
	operation operation
	body      bytes.Buffer

	// release unlocks the objects, and leaves the gate of the account.
	release func()
	started bool // the response has started
}

// phase decides one thing about a request. Its error ends the request.
type phase func(*Service, *exchange) error

// phases run in this order: nothing is said about buckets and operations before
// it is known who asks, and nothing is read before it is known that it may be.
var phases = []phase{
	(*Service).parse,
	(*Service).authenticate,
	(*Service).classify,
	(*Service).authorize,
	(*Service).readBody,
	(*Service).perform,
}

// begin begins the answer. From here on the client may be slow.
func (x *exchange) begin(status int) {
	x.started = true
	x.w.WriteHeader(status)
	x.release()
}

// answer is what net/http sends a content to: it begins the answer of an exchange.
type answer struct {
	http.ResponseWriter

	x *exchange
}

// WriteHeader implements http.ResponseWriter.
func (a answer) WriteHeader(status int) { a.x.begin(status) }

// Write implements http.ResponseWriter.
func (a answer) Write(data []byte) (int, error) {
	if !a.x.started {
		a.x.begin(http.StatusOK)
	}
	return a.ResponseWriter.Write(data)
}
