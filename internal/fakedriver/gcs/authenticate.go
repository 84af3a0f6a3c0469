package gcs

import (
	"strings"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/authorization"
)

// authenticate identifies the caller by the token ACCESS_ID:ACCESS_SECRET.
func (s *Service) authenticate(x *exchange) error {
	headers := x.r.Header.Values("Authorization")
	if len(headers) == 0 {
		return errAnonymous
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	id, secret, ok := strings.Cut(token, ":")
	if len(headers) > 1 || !strings.EqualFold(scheme, "Bearer") || !ok {
		return errCredentials
	}
	caller, err := s.options.Store.Authenticate(id, secret)
	x.caller = caller
	return err
}

// authorize allows an operation if the key's grant has one of the needed permissions.
// Copying also needs read access to the source. Every request for another bucket gets
// the same 403.
func (s *Service) authorize(x *exchange) error {
	if x.operation.needs == nil {
		return errForbidden.with("Buckets are created, changed and deleted by the driver, for a BucketClaim")
	}
	if err := x.covered(x.target.bucket, x.operation.needs); err != nil {
		return err
	}
	switch x.target.shape { //nolint:exhaustive // only these have a source
	case shapeCopy, shapeRewrite:
		return x.covered(x.target.sourceBucket, authorization.ReadData)
	case shapeCompose:
		return x.covered(x.target.bucket, authorization.ReadData)
	}
	return nil
}

func (x *exchange) covered(bucket string, needs []authorization.Need) error {
	grant, err := x.caller.Grant(fakedriver.ProtocolGCS, bucket)
	if err != nil {
		return err
	}
	if !authorization.Allows(grant, needs) {
		return errForbidden
	}
	return nil
}
