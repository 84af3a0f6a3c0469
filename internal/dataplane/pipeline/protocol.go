package pipeline

import (
	"fmt"
	"net/http"
	"runtime/debug"

	"github.com/go-logr/logr"
)

// Protocol has a protocol's functions for its requests, or for one kind of them. Each phase makes one
// decision about a request, and its error ends the request. They run in the order of the fields, and
// nil is skipped: nothing about buckets and operations is revealed before authentication, and no body
// is read before authorization.
type Protocol[X request] struct {
	// Parse reads path and query strictly. It rejects input that two parsers could read differently.
	Parse func(X) error
	// Authenticate identifies the caller.
	Authenticate func(X) error
	// Classify finds the operation, and rejects unsupported parameters and headers.
	Classify func(X) error
	// Authorize compares the operation's needs with the caller's grant.
	Authorize func(X) error
	// ReadBody reads and verifies the body, within limits, before any change.
	ReadBody func(X) error
	// Perform runs the operation, and responds.
	Perform func(X) error

	// Respond responds with an error.
	Respond func(X, error)
	// Revoked responds in place of the prepared response if the key has been revoked. Default: Respond.
	Revoked func(X, error)
	// Details returns values for the log, and whether the cause of an error is not the client.
	Details func(X, error) (values []any, isInternal bool)
	// Name is for the log.
	Name   string
	Logger logr.Logger
}

// Serve takes a request, of which W and R are set, through the phases.
func (p *Protocol[X]) Serve(x X) {
	e := x.exchange()
	e.gate = gate{ResponseWriter: e.W, x: e, revoked: func(err error) { p.revoked(x, err) }}
	e.W = &e.gate
	e.W.Header().Set("Server", "cosi-emu")
	defer e.end()
	defer func() { p.recovered(x, recover()) }()
	for _, phase := range [...]func(X) error{p.Parse, p.Authenticate, p.Classify, p.Authorize, p.ReadBody, p.Perform} {
		if phase == nil {
			continue
		}
		if err := phase(x); err != nil {
			p.reject(x, err)
			return
		}
	}
	e.W.WriteHeader(http.StatusOK) // of a response without body
}

func (p *Protocol[X]) revoked(x X, err error) {
	respond := p.Revoked
	if respond == nil {
		respond = p.Respond
	}
	respond(x, err)
}

// recovered turns a panic into an internal error, except http.ErrAbortHandler, which ends the
// connection.
func (p *Protocol[X]) recovered(x X, cause any) {
	switch cause {
	case nil:
	case http.ErrAbortHandler:
		panic(cause)
	default:
		p.reject(x, fmt.Errorf("panic: %v", cause), "stack", string(debug.Stack())) //nolint:err113 // has no kind
	}
}

// reject responds with an error, and logs errors that the client has not caused. If such an error comes after
// the response has started, the connection ends: the client must not take a part for the whole.
func (p *Protocol[X]) reject(x X, err error, details ...any) {
	values, isInternal := p.Details(x, err)
	log := p.Logger.WithValues(values...)
	if isInternal {
		log.Error(err, p.Name+" request failed", details...)
	} else {
		log.V(1).Info(p.Name + " request rejected")
	}
	switch gate := &x.exchange().gate; {
	case !gate.started:
		p.Respond(x, err)
	case isInternal && gate.err == nil:
		panic(http.ErrAbortHandler)
	}
}

// Steps returns a phase that consists of several steps.
func Steps[X request](steps ...func(X) error) func(X) error {
	return func(x X) error {
		for _, step := range steps {
			if err := step(x); err != nil {
				return err
			}
		}
		return nil
	}
}
