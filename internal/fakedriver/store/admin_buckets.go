package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store/internal/objects"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store/internal/s3error"
)

// CreateBucket creates a bucket, or returns the one that has been created with
// the same specification. Errors are of kind ErrInvalid, or ErrConflict if there
// is a bucket of that name with another owner or specification.
func (s *Store) CreateBucket(ctx context.Context, spec fakedriver.BucketSpec) (fakedriver.Bucket, error) {
	if err := spec.Validate(); err != nil {
		return fakedriver.Bucket{}, err
	}
	spec = spec.Clone()
	var created fakedriver.Bucket
	err := s.administer(ctx, func() (err error) {
		created, err = s.createBucket(spec)
		return err
	})
	return created, err
}

func (s *Store) createBucket(spec fakedriver.BucketSpec) (fakedriver.Bucket, error) {
	if existing, ok := s.registry.bucket(spec.Name); ok {
		switch {
		case existing.Owner != spec.Owner:
			return fakedriver.Bucket{}, conflict("bucket", spec.Name, "it belongs to somebody else")
		case !existing.Matches(spec):
			return fakedriver.Bucket{}, conflict("bucket", spec.Name, "it has been created with other parameters")
		}
		return existing, nil
	}
	b := fakedriver.Bucket{BucketSpec: spec, UID: rand.Text(), CreatedAt: s.now()}
	record, err := s.ledger.bucketChange(b)
	if err != nil {
		return fakedriver.Bucket{}, fmt.Errorf("cannot create bucket %q: %w", spec.Name, err)
	}
	if err := s.contents.CreateBucket(b.UID, contentsOf(spec), record); err != nil {
		return fakedriver.Bucket{}, fmt.Errorf("cannot create bucket %q: %w", spec.Name, err)
	}
	s.registry.setBucket(b)
	return b.Clone(), nil
}

// GetBucket returns a bucket, whoever owns it. The error is of kind ErrNotExist
// if there is none.
func (s *Store) GetBucket(ctx context.Context, name string) (fakedriver.Bucket, error) {
	if err := s.usable(ctx); err != nil {
		return fakedriver.Bucket{}, err
	}
	b, ok := s.registry.bucket(name)
	if !ok {
		return fakedriver.Bucket{}, notExist("bucket", name)
	}
	return b, nil
}

// DeleteBucket deletes a bucket of an owner, if it is empty or BucketSpec.Purge.
// Access to it ends for good, also if another bucket of that name is created.
// Errors are of kind ErrNotExist, ErrNotEmpty, or ErrConflict if the bucket
// belongs to another owner.
func (s *Store) DeleteBucket(ctx context.Context, owner, name string) error {
	return s.administer(ctx, func() error { return s.deleteBucket(owner, name) })
}

func (s *Store) deleteBucket(owner, name string) error {
	b, ok := s.registry.bucket(name)
	if !ok {
		return notExist("bucket", name)
	}
	if b.Owner != owner {
		return conflict("bucket", name, "it belongs to somebody else")
	}
	err := s.contents.DeleteBucket(b.UID, b.Purge, s.ledger.bucketDeletion(name))
	switch {
	case errors.Is(err, s3error.ErrBucketNotEmpty):
		return fmt.Errorf("bucket %q %w", name, fakedriver.ErrNotEmpty)
	case err != nil:
		return fmt.Errorf("cannot delete bucket %q: %w", name, err)
	}
	s.registry.removeBucket(name)
	return nil
}

// Buckets returns all buckets, sorted by name.
func (s *Store) Buckets(ctx context.Context) ([]fakedriver.Bucket, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	return s.registry.allBuckets(), nil
}

// usable returns why a read cannot be answered, if it cannot.
func (s *Store) usable(ctx context.Context) error {
	if s.isClosed() {
		return fakedriver.ErrClosed
	}
	return ctx.Err()
}

// contentsOf is what the spec says of the bucket's objects.
func contentsOf(b fakedriver.BucketSpec) objects.Config {
	config := objects.Config{Tags: b.Tags, Quota: objects.Quota{Bytes: b.Quota.Bytes, Objects: b.Quota.Objects}}
	if b.Versioning {
		config.Versioning = objects.Enabled
	}
	return config
}
