package gcs

import (
	"net/http"
	"net/url"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/address"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// exchange is one request on its way through the phases. Each phase adds its results.
type exchange struct {
	w http.ResponseWriter
	r *http.Request

	target    address.Target
	query     url.Values
	caller    *authorization.Caller
	operation operation
	// bucket belongs to the target, and source to the source of a copy.
	bucket, source *objects.Bucket
	body           received

	held    []func() // run when the request ends
	started bool     // the response has started
}

// phase makes one decision about a request. Its error ends the request.
type phase func(*Service, *exchange) error

// phases run in this order: nothing about buckets and operations is revealed before authentication,
// and no body is read before authorization.
var phases = []phase{
	(*Service).parse,
	(*Service).authenticate,
	(*Service).classify,
	(*Service).authorize,
	(*Service).readBody,
	(*Service).perform,
}

// hold registers a function for the end of the request.
func (x *exchange) hold(release func()) { x.held = append(x.held, release) }

func (x *exchange) end() {
	x.caller.Leave()
	for _, release := range x.held {
		release()
	}
}

// begin sends the status. After that, a slow client delays no revocation.
func (x *exchange) begin(status int) {
	x.started = true
	x.w.WriteHeader(status)
	x.caller.Leave()
}

// answer is the ResponseWriter for net/http. It starts the response on the first
// write.
type answer struct {
	http.ResponseWriter

	x *exchange
}

func (a answer) WriteHeader(status int) { a.x.begin(status) }

func (a answer) Write(data []byte) (int, error) {
	if !a.x.started {
		a.x.begin(http.StatusOK)
	}
	return a.ResponseWriter.Write(data)
}
