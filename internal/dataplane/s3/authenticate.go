package s3

import (
	"errors"

	"github.com/cosi-emu/cosi-emu/internal/dataplane/pipeline"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3exchange"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/s3/s3op"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

// authenticate identifies the caller and then finds the bucket, whose region the signature must have.
func (s *Service) authenticate() func(*s3exchange.Exchange) error {
	return pipeline.Steps(s.identify, s.hoist, s.translate, s.resolve, s.checkPolicy, s.reachBucket, s.delay, s.checkRegion)
}

// identify finds the caller.
func (s *Service) identify(x *s3exchange.Exchange) (err error) {
	if isForm(x) {
		return s.authenticateForm(x)
	}
	x.Caller, x.Signature, err = x.Dialect.Authenticate(x.R, x.Query)
	return err
}

// reachBucket finds the account's grant for the bucket. For a bucket without a grant, the response
// is always AccessDenied.
func (s *Service) reachBucket(x *s3exchange.Exchange) error {
	if x.Level == s3op.Service {
		return nil
	}
	b, _ := s.options.Store.Registry().Bucket(x.Bucket) // first, so that the grant is for this bucket or a later one
	grant, err := x.Caller.Grant(x.Dialect.Protocol, x.Bucket)
	if errors.Is(err, authorization.ErrDenied) {
		return s3error.ErrAccessDenied
	}
	x.UID, x.Grant, x.Missing = b.UID, grant, err != nil
	return nil
}
