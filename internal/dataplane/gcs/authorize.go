package gcs

import (
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/dataplane/gcs/failure"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

// authorize allows an operation if the key's grant has one of the needed permissions. Copying also
// needs read access to the source. Every request for another bucket gets the same 403.
func (s *Service) authorize(x *exchange) (err error) {
	if x.operation.needs == nil {
		return failure.ErrForbidden.With("Buckets are created, changed and deleted by the driver, for a BucketClaim")
	}
	if x.target.level == levelBatch {
		return nil // its calls are authorized separately
	}
	if err := x.covered(x.target.bucket, x.operation.needs); err != nil {
		return err
	}
	if err := s.authorizeSource(x); err != nil {
		return err
	}
	x.bucket, err = s.options.Store.Bucket(x.R.Context(), x.target.bucket)
	return err
}

func (s *Service) authorizeSource(x *exchange) (err error) {
	switch x.target.level { //nolint:exhaustive // only these have a source
	case levelCopy, levelRewrite:
		if err := x.covered(x.target.sourceBucket, authorization.ReadData); err != nil {
			return err
		}
		x.source, err = s.options.Store.Bucket(x.R.Context(), x.target.sourceBucket)
		return err
	case levelCompose, levelMove:
		return x.covered(x.target.bucket, authorization.ReadData)
	}
	return nil
}

func (x *exchange) covered(bucket string, needs []authorization.Need) error {
	grant, err := x.Caller.Grant(fakedriver.ProtocolGCS, bucket)
	if err != nil {
		return err
	}
	if !authorization.Allows(grant, needs) {
		return failure.ErrForbidden
	}
	return nil
}
