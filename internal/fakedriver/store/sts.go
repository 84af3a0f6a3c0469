package store

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store/internal/s3error"
)

// The one operation of Amazon's Security Token Service that is served, at the
// address of S3: it makes keys for whoever has a token that Options.WebIdentity
// accepts. See the AWS STS API reference, AssumeRoleWithWebIdentity.
const (
	assumeRole = "AssumeRoleWithWebIdentity"
	stsVersion = "2011-06-15"
)

// maxFormBytes is more than the longest token that STS takes, 20,000 characters.
const maxFormBytes = 64 << 10

// isSTS reports whether a request is one of STS. S3 has no POST to the service
// itself.
func (h hosts) isSTS(r *http.Request) bool {
	_, virtual := h.bucket(r.Host)
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	return r.Method == http.MethodPost && r.URL.Path == "/" && !virtual &&
		strings.EqualFold(strings.TrimSpace(kind), "application/x-www-form-urlencoded")
}

// serveSTS answers a request of STS.
func (s *Store) serveSTS(x *exchange) {
	x.operation.Name = assumeRole
	answer, err := s.answerSTS(x)
	if err != nil {
		s.refuseSTS(x, err)
		return
	}
	sendSTS(x, answer)
}

func (s *Store) answerSTS(x *exchange) (*assumed, error) {
	if s.isClosed() {
		return nil, errSTSUnavailable
	}
	form, err := s.readForm(x)
	if err != nil {
		return nil, err
	}
	asked, err := parseAssumption(form)
	if err != nil {
		return nil, err
	}
	return s.assume(x.r.Context(), asked)
}

// readForm reads the parameters, which are in the body. One that is given twice,
// or also in the URL, is refused.
func (s *Store) readForm(x *exchange) (url.Values, error) {
	body, err := io.ReadAll(io.LimitReader(x.r.Body, maxFormBytes+1))
	switch {
	case err != nil && errors.Is(bodyError(err), s3error.ErrRequestTimeout):
		return nil, errSTSTimeout
	case err != nil:
		return nil, errSTSValidation.with("The request body could not be read")
	case len(body) > maxFormBytes:
		return nil, errSTSValidation.with("The request is too large")
	}
	form, err := url.ParseQuery(string(body))
	if err != nil || x.r.URL.RawQuery != "" {
		return nil, errSTSValidation.with("The parameters must be in the body of the request, and form-encoded")
	}
	for name, values := range form {
		if len(values) != 1 {
			return nil, errSTSValidation.with("The parameter " + name + " is given more than once")
		}
	}
	return form, checkAction(form)
}

// checkAction refuses other actions, and whatever would have to be ignored: a
// session policy would make the session weaker than its account.
func checkAction(form url.Values) error {
	action, version := form.Get("Action"), form.Get("Version")
	switch {
	case action == "":
		return errSTSMissingAction
	case action != assumeRole || version != stsVersion:
		return errSTSInvalidAction.with("Could not find operation " + action + " for version " + version +
			"; there is only " + assumeRole + " for version " + stsVersion)
	}
	known := []string{"Action", "Version", "WebIdentityToken", "RoleArn", "RoleSessionName", "DurationSeconds"}
	for name := range form {
		if !slices.Contains(known, name) {
			return errSTSValidation.with("The parameter " + name + " is not supported")
		}
	}
	return nil
}
