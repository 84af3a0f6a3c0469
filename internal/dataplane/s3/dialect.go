package s3

import (
	"net/http"
	"net/url"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/authentication"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3op"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

// Dialect is the protocol of another service with its differences from S3: the XML API of Google
// Cloud Storage. All fields are required.
type Dialect struct {
	s3exchange.Dialect

	// Authenticate returns the caller and the signature of a request.
	Authenticate func(*http.Request, url.Values) (*authorization.Caller, authentication.Signature, error)
	// Translate returns an authenticated request in S3's form.
	Translate func(*http.Request, url.Values) (*http.Request, url.Values, error)
	// Serves returns an error for an operation of S3 that the service does not have.
	Serves func(operation string) error
	// Operations are operations that S3 does not have.
	Operations []s3op.Operation
}

// otherOperations are another service's operations that S3 does not have.
func (s *Service) otherOperations() []s3op.Operation {
	if d := s.options.Dialect; d != nil {
		return d.Operations
	}
	return nil
}

// translate turns a request of another service into one of S3.
func (s *Service) translate(x *s3exchange.Exchange) (err error) {
	if d := s.options.Dialect; d != nil {
		x.Dialect = &d.Dialect
		x.R, x.Query, err = d.Translate(x.R, x.Query)
	}
	return err
}

// checkServed rejects operations that another service does not have.
func (s *Service) checkServed(operation string) error {
	if d := s.options.Dialect; d != nil {
		return d.Serves(operation)
	}
	return nil
}
