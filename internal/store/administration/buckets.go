package administration

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/cors"
	"github.com/cosi-emu/cosi-emu/internal/s3error"
	"github.com/cosi-emu/cosi-emu/internal/store/objects"
)

// CreateBucket creates a bucket, or returns the one with the same specification. Errors are of kind
// ErrInvalid, or ErrConflict if a bucket of that name has another owner or specification.
func (a *Administrator) CreateBucket(ctx context.Context, spec fakedriver.BucketSpec) (fakedriver.Bucket, error) {
	if err := spec.Validate(); err != nil {
		return fakedriver.Bucket{}, err
	}
	spec = spec.Clone()
	var created fakedriver.Bucket
	err := a.exclusively(ctx, func() (err error) {
		created, err = a.createBucket(spec)
		return err
	})
	return created, err
}

func (a *Administrator) createBucket(spec fakedriver.BucketSpec) (fakedriver.Bucket, error) {
	if existing, ok := a.options.Registry.Bucket(spec.Name); ok {
		switch {
		case existing.Owner != spec.Owner:
			return fakedriver.Bucket{}, conflict("bucket", spec.Name, "it belongs to another owner")
		case !existing.Matches(spec):
			return fakedriver.Bucket{}, conflict("bucket", spec.Name, "it has been created with other parameters")
		}
		return existing, nil
	}
	b := fakedriver.Bucket{BucketSpec: spec, UID: rand.Text(), CreatedAt: a.now()}
	record, err := a.options.Records.BucketChange(b)
	if err != nil {
		return fakedriver.Bucket{}, fmt.Errorf("cannot create bucket %q: %w", spec.Name, err)
	}
	if err := a.options.Contents.CreateBucket(b.UID, contentsOf(spec), record); err != nil {
		return fakedriver.Bucket{}, fmt.Errorf("cannot create bucket %q: %w", spec.Name, err)
	}
	a.options.Registry.SetBucket(b)
	return b.Clone(), nil
}

// GetBucket returns a bucket of any owner. The error is of kind ErrNotExist for an unknown bucket.
func (a *Administrator) GetBucket(ctx context.Context, name string) (fakedriver.Bucket, error) {
	if err := a.usable(ctx); err != nil {
		return fakedriver.Bucket{}, err
	}
	b, ok := a.options.Registry.Bucket(name)
	if !ok {
		return fakedriver.Bucket{}, notExist("bucket", name)
	}
	return b, nil
}

// DeleteBucket deletes a bucket of an owner, if it is empty or BucketSpec.Purge.
// Existing grants do not extend to a bucket that is created with its name later.
// Errors are of kind ErrNotExist, ErrNotEmpty, or ErrConflict if the bucket
// belongs to another owner.
func (a *Administrator) DeleteBucket(ctx context.Context, owner, name string) error {
	return a.exclusively(ctx, func() error { return a.deleteBucket(owner, name) })
}

func (a *Administrator) deleteBucket(owner, name string) error {
	b, ok := a.options.Registry.Bucket(name)
	if !ok {
		return notExist("bucket", name)
	}
	if b.Owner != owner {
		return conflict("bucket", name, "it belongs to another owner")
	}
	err := a.options.Contents.DeleteBucket(b.UID, b.Purge, a.options.Records.BucketDeletion(name))
	switch {
	case errors.Is(err, s3error.ErrBucketNotEmpty):
		return fmt.Errorf("bucket %q %w", name, fakedriver.ErrNotEmpty)
	case err != nil:
		return fmt.Errorf("cannot delete bucket %q: %w", name, err)
	}
	a.options.Registry.RemoveBucket(name)
	return nil
}

// Buckets returns all buckets, sorted by name.
func (a *Administrator) Buckets(ctx context.Context) ([]fakedriver.Bucket, error) {
	if err := a.usable(ctx); err != nil {
		return nil, err
	}
	return a.options.Registry.Buckets(), nil
}

// contentsOf returns the part of a specification that concerns the bucket's objects.
func contentsOf(b fakedriver.BucketSpec) objects.Config {
	config := objects.Config{
		Tags: b.Tags, Quota: objects.Quota{Bytes: b.Quota.Bytes, Objects: b.Quota.Objects}, CORS: cors.Development(b.CORSOrigins),
		Generations: b.Protocol == fakedriver.ProtocolGCS,
	}
	if b.Versioning || b.ObjectLock {
		config.Versioning = objects.Enabled
	}
	if b.ObjectLock {
		d := b.DefaultRetention
		config.ObjectLock = objects.ObjectLock{
			Enabled: true, Default: objects.DefaultRetention{Mode: objects.LockMode(d.Mode), Days: d.Days, Years: d.Years},
		}
	}
	return config
}
