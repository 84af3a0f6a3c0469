package store

import (
	"slices"

	"github.com/cosi-emu/cosi-emu/fakedriver/store/internal/s3error"
	"github.com/cosi-emu/cosi-emu/fakedriver/store/internal/s3op"
)

// classify finds the operation, of a bucket that the account reaches: of others
// nothing is said but that they are denied.
func (s *Store) classify(x *exchange) error {
	if x.level != s3op.Service {
		grant, err := s.reach(x.principal, x.bucket)
		if err != nil {
			return err
		}
		x.grant = grant
	}
	operation, err := s3op.Classify(x.r.Method, x.level, x.query, x.r.Header)
	x.operation = operation
	return err
}

func (s *Store) reach(p *principal, bucket string) (Grant, error) {
	grant, granted, exists := s.registry.grant(p, bucket)
	switch {
	case !granted:
		return Grant{}, s3error.ErrAccessDenied
	case !exists:
		return Grant{}, s3error.ErrNoSuchBucket
	}
	return grant, nil
}

// authorize lets an operation through if the account's grant covers one of its
// needs. Copying needs to read its source, too.
func (s *Store) authorize(x *exchange) error {
	switch {
	case x.operation.Name == "CreateBucket":
		return s3error.ErrBucketAlreadyOwnedByYou
	case x.operation.Reserved:
		return s3error.ErrAccessDenied.With("Buckets are created and deleted by the driver, for a BucketClaim")
	case len(x.operation.Needs) > 0 && !slices.ContainsFunc(x.operation.Needs, x.grant.allows):
		return s3error.ErrAccessDenied
	case x.operation.CopySource:
		return s.authorizeCopy(x)
	}
	return nil
}

func (s *Store) authorizeCopy(x *exchange) error {
	source, err := parseCopySource(x.r.Header.Get("X-Amz-Copy-Source"))
	if err != nil {
		return err
	}
	grant, err := s.reach(x.principal, source.bucket)
	if err != nil {
		return err
	}
	if !grant.allows(s3op.Need{Category: s3op.ObjectData, Direction: s3op.Read}) {
		return s3error.ErrAccessDenied
	}
	x.source = source
	return nil
}
