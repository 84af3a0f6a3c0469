package pipeline

import (
	"net/http"
	"net/url"

	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

// Exchange is one request on its way through the phases. Each phase adds its results. Protocols
// embed it in a struct with their own results.
type Exchange struct {
	W     http.ResponseWriter
	R     *http.Request
	Query url.Values
	// Caller is nil until the request is authenticated. From then on, a response starts only after
	// it has entered the gate of the caller's account.
	Caller *authorization.Caller

	gate gate
	held []func()
}

// request is a protocol's struct for a request.
type request interface{ exchange() *Exchange }

func (x *Exchange) exchange() *Exchange { return x }

// Hold registers a function for the end of the request.
func (x *Exchange) Hold(release func()) { x.held = append(x.held, release) }

// Scheme returns the scheme of the client's URL.
func Scheme(r *http.Request) string {
	if r.TLS != nil {
		return "https"
	}
	return "http"
}

// Base returns the address that the client uses for the service.
func (x *Exchange) Base() string { return Scheme(x.R) + "://" + x.R.Host }

// ErrorWriter returns the writer for an error that enters no gate: a revocation must not wait for
// it.
func (x *Exchange) ErrorWriter() http.ResponseWriter {
	x.Caller.Leave()
	return x.gate.ResponseWriter
}

func (x *Exchange) end() {
	x.Caller.Leave()
	for _, release := range x.held {
		release()
	}
}
