package gcs

import (
	"strings"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/failure"
)

// authenticate identifies the caller by the token ACCESS_ID:ACCESS_SECRET.
func (s *Service) authenticate(x *exchange) error {
	if x.target.level == levelResumable {
		return s.authenticateXML(x)
	}
	headers := x.R.Header.Values("Authorization")
	if len(headers) == 0 {
		return failure.ErrAnonymous
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	id, secret, ok := strings.Cut(token, ":")
	if len(headers) > 1 || !strings.EqualFold(scheme, "Bearer") || !ok {
		return failure.ErrCredentials
	}
	caller, err := s.options.Store.Authenticate(id, secret)
	x.Caller = caller
	return err
}
