package sts

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"time"

	"github.com/go-logr/logr"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

// Operation is the one operation that the service has.
const Operation = "AssumeRoleWithWebIdentity"

const version = "2011-06-15"

// maxFormBytes is more than the longest token that STS accepts, 20,000 characters.
const maxFormBytes = 64 << 10

// Options configure a service. All are required, except WebIdentity and Issued.
type Options struct {
	// Registry has the accounts and the sessions.
	Registry *authorization.Registry
	// IsClosed reports whether the store has been closed.
	IsClosed func() bool
	// WebIdentity finds the account for a token. Errors are of kind authorization.ErrIdentity,
	// authorization.ErrExpired or fakedriver.ErrNotExist; of any other kind if the lookup failed.
	// Default: every token is rejected.
	WebIdentity func(ctx context.Context, token, role string) (accountID string, err error)
	// Issued is called with each session before its key is sent.
	Issued func(*authorization.Session)
	Rand   io.Reader
	Now    func() time.Time
	Logger logr.Logger
}

// Service serves STS.
type Service struct {
	options  Options
	protocol pipeline.Protocol[*exchange]
}

// New returns a service.
func New(options Options) *Service {
	s := &Service{options: options}
	s.protocol = pipeline.Protocol[*exchange]{
		Parse: s.parse, ReadBody: s.readBody, Perform: s.perform,
		Respond: s.respond, Details: s.details, Name: "sts", Logger: options.Logger,
	}
	return s
}

type exchange struct {
	pipeline.Exchange

	id    string
	asked assumption
}

// Serve responds to a request with an ID.
func (s *Service) Serve(w http.ResponseWriter, r *http.Request, id string) {
	s.protocol.Serve(&exchange{Exchange: pipeline.Exchange{W: w, R: r}, id: id})
}

func (s *Service) parse(*exchange) error {
	if s.options.IsClosed() {
		return errUnavailable
	}
	return nil
}

func (s *Service) readBody(x *exchange) error {
	form, err := readForm(x.R)
	if err != nil {
		return err
	}
	x.asked, err = parseAssumption(form)
	return err
}

func (s *Service) perform(x *exchange) error {
	result, err := s.assume(x.R.Context(), x.asked)
	if err != nil {
		return err
	}
	x.sendResult(result)
	return nil
}

// readForm reads the parameters from the body. It rejects parameters that are repeated, or also in
// the URL.
func readForm(r *http.Request) (url.Values, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxFormBytes+1))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, errTimeout
	case err != nil:
		return nil, errValidation.with("The request body could not be read")
	case len(body) > maxFormBytes:
		return nil, errValidation.with("The request is too large")
	}
	form, err := url.ParseQuery(string(body))
	if err != nil || r.URL.RawQuery != "" {
		return nil, errValidation.with("The parameters must be in the body of the request, and form-encoded")
	}
	for name, values := range form {
		if len(values) != 1 {
			return nil, errValidation.with("The parameter " + name + " is given more than once")
		}
	}
	return form, checkAction(form)
}

// checkAction rejects other actions, and unsupported parameters: a session policy would restrict
// the session.
func checkAction(form url.Values) error {
	action, stated := form.Get("Action"), form.Get("Version")
	switch {
	case action == "":
		return errMissingAction
	case action != Operation || stated != version:
		return errInvalidAction.with("Could not find operation " + action + " for version " + stated +
			"; there is only " + Operation + " for version " + version)
	}
	known := []string{"Action", "Version", "WebIdentityToken", "RoleArn", "RoleSessionName", "DurationSeconds"}
	for name := range form {
		if !slices.Contains(known, name) {
			return errValidation.with("The parameter " + name + " is not supported")
		}
	}
	return nil
}
