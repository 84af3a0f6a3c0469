package azure

import (
	"net/http"
	"net/url"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/azure/address"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// exchange is one request on its way through the phases. Each phase adds its results.
type exchange struct {
	w http.ResponseWriter
	r *http.Request

	target    address.Target
	query     url.Values
	operation operation
	caller    *authorization.Caller
	bucket    *objects.Bucket
	body      received
	held      []func() // run when the request ends
	started   bool     // the response has started
}

// phase makes one decision about a request. Its error ends the request.
type phase func(*Service, *exchange) error

// phases run in this order: nothing about containers and operations is revealed before
// authentication, and no body is read before authorization.
var phases = []phase{
	(*Service).parse,
	(*Service).authenticate,
	(*Service).classify,
	(*Service).authorize,
	(*Service).readBody,
	(*Service).perform,
}

func (x *exchange) hold(release func()) { x.held = append(x.held, release) }

func (x *exchange) end() {
	x.caller.Leave()
	for _, release := range x.held {
		release()
	}
}

func (x *exchange) header(name string) string { return x.r.Header.Get(name) }

func (x *exchange) set(name, value string) {
	if value != "" {
		x.w.Header().Set(name, value)
	}
}

// begin sends the status. After that, a slow client delays no revocation.
func (x *exchange) begin(status int) error {
	if x.started {
		return nil
	}
	x.started = true
	x.w.WriteHeader(status)
	x.caller.Leave()
	return nil
}
