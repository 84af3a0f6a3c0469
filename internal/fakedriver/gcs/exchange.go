package gcs

import (
	"bytes"
	"net/http"
	"net/url"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/authorization"
)

// exchange is one request on its way through the phases. Each phase adds its results.
type exchange struct {
	w http.ResponseWriter
	r *http.Request

	target    target
	query     url.Values
	caller    *authorization.Caller
	operation operation
	body      bytes.Buffer

	// release unlocks the objects, and ends the use of the account.
	release func()
	started bool // the response has started
}

// phase makes one decision about a request. Its error ends the request.
type phase func(*Service, *exchange) error

// phases run in this order: nothing about buckets and operations is revealed before
// authentication, and no body is read before authorization.
var phases = []phase{
	(*Service).parse,
	(*Service).authenticate,
	(*Service).classify,
	(*Service).authorize,
	(*Service).readBody,
	(*Service).perform,
}

// begin sends the status. After that, a slow client blocks nothing.
func (x *exchange) begin(status int) {
	x.started = true
	x.w.WriteHeader(status)
	x.release()
}

// answer is the ResponseWriter for net/http. It starts the response on the first
// write.
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
