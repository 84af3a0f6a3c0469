package gcs

import (
	"net/http"
	"net/url"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/address"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/failure"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/httpserver"
)

func (s *Service) serve(w http.ResponseWriter, r *http.Request) {
	x := &exchange{w: w, r: r}
	w.Header().Set("Server", "cosi-emu")
	defer x.end()
	defer func() { httpserver.Recover(recover(), func(cause error, stack string) { s.fail(x, cause, stack) }) }()
	for _, run := range phases {
		if err := run(s, x); err != nil {
			s.reject(x, err)
			return
		}
	}
}

// reject responds with an error, and logs errors that the client has not caused.
func (s *Service) reject(x *exchange, err error) {
	found := failure.Of(err)
	log := s.options.Logger.WithValues("operation", x.operation.name, "bucket", x.target.Bucket, "reason", found.Reason)
	if found == failure.ErrInternal {
		log.Error(err, "gcs request failed")
	} else {
		log.V(1).Info("gcs request rejected")
	}
	s.respond(x, found, err)
}

func (s *Service) fail(x *exchange, cause error, stack string) {
	s.options.Logger.Error(cause, "gcs request failed", "operation", x.operation.name, "stack", stack)
	s.respond(x, failure.ErrInternal, cause)
}

func (s *Service) respond(x *exchange, found *failure.Error, err error) {
	x.caller.Leave() // a revocation must not wait for an error
	switch {
	case x.started:
		return
	case x.target.Shape == address.ShapeResumable:
		x.writeXML(err)
	default:
		found.Write(x.w)
	}
	x.started = true
}

// parse reads path and query strictly. It rejects input that two parsers could read differently.
func (s *Service) parse(x *exchange) (err error) {
	if x.query, err = url.ParseQuery(x.r.URL.RawQuery); err != nil {
		return failure.ErrInvalid.With("The query is not properly escaped")
	}
	x.target, err = address.Parse(x.r)
	return err
}

// classify finds the operation.
func (s *Service) classify(x *exchange) (err error) {
	if x.operation, err = classify(x.r.Method, x.target, x.query); err != nil {
		return err
	}
	if x.target.Shape == address.ShapeResumable {
		return nil // beginXML reads all headers, and other requests none of Google's
	}
	return checkHeaders(x.r.Header, x.operation)
}

// perform runs the operation, after a last check of the key and the grant: they may have ended
// while the body was received. It does not wait for the client until the response starts.
func (s *Service) perform(x *exchange) error {
	if x.target.Shape == address.ShapeBatch {
		return x.operation.do(s, x) // its calls enter the gate separately
	}
	if err := x.caller.Enter(); err != nil {
		return err
	}
	if err := s.authorize(x); err != nil {
		return err
	}
	return x.operation.do(s, x)
}
