package gcs

import (
	"net/http"
	"net/url"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/failure"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
)

func (s *Service) newProtocol() *pipeline.Protocol[*exchange] {
	return &pipeline.Protocol[*exchange]{
		Parse: s.parse, Authenticate: s.authenticate, Classify: s.classify, Authorize: s.authorize, ReadBody: s.readBody, Perform: s.perform,
		Respond: s.respond, Details: s.details, Name: "gcs", Logger: s.options.Logger,
	}
}

func (s *Service) serve(w http.ResponseWriter, r *http.Request) {
	s.protocol.Serve(&exchange{Exchange: pipeline.Exchange{W: w, R: r}})
}

func (s *Service) details(x *exchange, err error) ([]any, bool) {
	found := failure.Of(err)
	return []any{"operation", x.operation.name, "bucket", x.target.bucket, "reason", found.Reason}, found == failure.ErrInternal
}

func (s *Service) respond(x *exchange, err error) {
	if x.target.level == levelResumable {
		x.writeXML(err)
		return
	}
	failure.Of(err).Write(x.ErrorWriter())
}

// parse reads path and query strictly. It rejects input that two parsers could read differently.
func (s *Service) parse(x *exchange) (err error) {
	if x.R, err = overridden(x.R); err != nil {
		return err
	}
	if err := checkSize(x.R); err != nil {
		return err
	}
	if x.Query, err = url.ParseQuery(x.R.URL.RawQuery); err != nil {
		return failure.ErrInvalid.With("The query is not properly escaped")
	}
	x.target, err = locate(x.R)
	return err
}

// classify finds the operation.
func (s *Service) classify(x *exchange) (err error) {
	if x.operation, err = classify(x.R.Method, x.target, x.Query); err != nil {
		return err
	}
	if x.target.level == levelResumable {
		return nil // beginXML reads all headers, and other requests none of Google's
	}
	return checkHeaders(x.R.Header, x.operation)
}

// perform runs the operation, after a last check of the key and the grant: they may have ended
// while the body was received. It does not wait for the client until the response starts.
func (s *Service) perform(x *exchange) error {
	if x.target.level == levelBatch {
		return x.operation.do(s, x) // its calls enter the gate separately
	}
	if err := x.Caller.Enter(); err != nil {
		return err
	}
	if err := s.authorize(x); err != nil {
		return err
	}
	return x.operation.do(s, x)
}
