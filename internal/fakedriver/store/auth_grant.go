package store

import (
	"slices"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store/internal/s3op"
)

// reachBucket finds out what the account may do with the bucket. Of a bucket that
// it does not reach, nothing is said but that access is denied.
func (s *Store) reachBucket(x *exchange) error {
	if x.level == s3op.Service {
		return nil
	}
	b, _ := s.registry.bucket(x.bucket) // first: the grant must be to this bucket, or a newer one
	grant, granted, exists := s.registry.grant(x.principal, x.bucket)
	if !granted {
		return s3error.ErrAccessDenied
	}
	x.uid = b.UID
	x.grant, x.missing = grant, !exists
	return nil
}

// classify finds the operation.
func (s *Store) classify(x *exchange) error {
	operation, err := s3op.Classify(x.r.Method, x.level, x.query, x.r.Header)
	x.operation = operation
	return err
}

// authorize lets an operation through if the account's grant covers one of its
// needs. Copying needs to read its source, too.
func (s *Store) authorize(x *exchange) error {
	if x.operation.Reserved {
		return authorizeReserved(x)
	}
	switch {
	case x.missing:
		return s3error.ErrNoSuchBucket
	case x.operation.Administrative && !x.principal.account.Admin:
		return s3error.ErrAccessDenied.With("What the bucket does is decided by the driver, for the class of the BucketClaim")
	case len(x.operation.Needs) > 0 && !slices.ContainsFunc(x.operation.Needs, func(n s3op.Need) bool { return allows(x.grant, n) }):
		return s3error.ErrAccessDenied
	case x.r.Header.Get("X-Amz-Tagging") != "" && !allows(x.grant, s3op.Need{Category: s3op.ObjectMetadata, Direction: s3op.Write}):
		return s3error.ErrAccessDenied.With("Tags are object metadata, which the key may not write")
	case x.operation.CopySource:
		return s.authorizeCopy(x)
	}
	return nil
}

// authorizeReserved is about the operations that create and delete buckets.
// Clients that create their bucket first, in any case, expect to be told that it
// is there.
func authorizeReserved(x *exchange) error {
	switch {
	case x.principal.account.Admin:
		return nil
	case x.operation.Name == "CreateBucket" && !x.missing:
		return s3error.ErrBucketAlreadyOwnedByYou
	}
	return s3error.ErrAccessDenied.With("Buckets are created and deleted by the driver, for a BucketClaim")
}

func (s *Store) authorizeCopy(x *exchange) error {
	source, err := parseCopySource(x.r.Header.Get("X-Amz-Copy-Source"))
	if err != nil {
		return err
	}
	b, _ := s.registry.bucket(source.bucket)
	grant, granted, exists := s.registry.grant(x.principal, source.bucket)
	switch {
	case !granted || !allows(grant, s3op.Need{Category: s3op.ObjectData, Direction: s3op.Read}):
		return s3error.ErrAccessDenied
	case !exists:
		return s3error.ErrNoSuchBucket
	}
	source.uid = b.UID
	x.source = source
	return nil
}

// allows reports whether the grant covers a need.
func allows(g fakedriver.Grant, need s3op.Need) bool {
	mode := modeFor(g, need.Category)
	switch need.Direction {
	case s3op.Read:
		return mode == fakedriver.ReadOnly || mode == fakedriver.ReadWrite
	case s3op.Write:
		return mode == fakedriver.WriteOnly || mode == fakedriver.ReadWrite
	default:
		return false
	}
}

func modeFor(g fakedriver.Grant, category s3op.Category) fakedriver.AccessMode {
	switch category {
	case s3op.ObjectData:
		return g.ObjectData
	case s3op.ObjectMetadata:
		return g.ObjectMetadata
	case s3op.BucketMetadata:
		return g.BucketMetadata
	default:
		return fakedriver.NoAccess
	}
}
