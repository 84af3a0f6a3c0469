package gcs

import (
	"context"
	"fmt"

	"github.com/fsouza/fake-gcs-server/fakestorage"

	"github.com/cosi-emu/cosi-emu/fakedriver/store"
)

// Backend is the store as the driver sees it when there is GCS, too: buckets of
// GCS come and go together with their objects here.
type Backend struct {
	*store.Store

	service *Service
}

// Backend returns the store with the service's objects.
func (s *Service) Backend() Backend { return Backend{Store: s.options.Store, service: s} }

// CreateBucket is that of the store, and makes room for the bucket's objects.
func (b Backend) CreateBucket(ctx context.Context, spec store.BucketSpec) (store.Bucket, error) {
	b.service.contents.Lock()
	defer b.service.contents.Unlock()
	created, err := b.Store.CreateBucket(ctx, spec)
	if err != nil || created.Protocol != store.ProtocolGCS {
		return created, err
	}
	return created, b.service.makeRoom(created.Name)
}

func (s *Service) makeRoom(bucket string) error {
	if err := guard(func() { s.library.CreateBucketWithOpts(fakestorage.CreateBucketOpts{Name: bucket}) }); err != nil {
		return fmt.Errorf("cannot make room for bucket %q: %w", bucket, err)
	}
	return nil
}

// recall takes up the buckets of the store, and what is kept of their objects.
func (s *Service) recall(ctx context.Context) error {
	buckets, err := s.options.Store.Buckets(ctx)
	if err != nil {
		return err
	}
	for _, b := range buckets {
		if b.Protocol != store.ProtocolGCS {
			continue
		}
		if err := s.makeRoom(b.Name); err != nil {
			return err
		}
		if err := s.keeper.load(b.Name, func(o fakestorage.StreamingObject) error {
			s.generation = max(s.generation, o.Generation)
			return s.library.CreateObjectStreaming(o)
		}); err != nil {
			return err
		}
	}
	return nil
}

// DeleteBucket is that of the store, and deletes the bucket's objects before, if
// they may be deleted.
func (b Backend) DeleteBucket(ctx context.Context, owner, name string) error {
	b.service.contents.Lock()
	defer b.service.contents.Unlock()
	found, err := b.Store.GetBucket(ctx, name)
	if err == nil && found.Protocol == store.ProtocolGCS && found.Owner == owner {
		err = b.service.clear(found)
	}
	if err != nil {
		return err
	}
	return b.Store.DeleteBucket(ctx, owner, name)
}

// clear deletes the objects of a bucket that is about to be deleted.
func (s *Service) clear(b store.Bucket) error {
	names, err := s.names(b.Name)
	if err != nil {
		return err
	}
	if len(names) > 0 && !b.Purge {
		return fmt.Errorf("bucket %q %w", b.Name, store.ErrNotEmpty)
	}
	if err := s.keeper.clear(b.Name); err != nil {
		return err
	}
	for _, name := range names {
		if err := s.library.Backend().DeleteObject(b.Name, name); err != nil {
			return fmt.Errorf("cannot delete object %q of bucket %q: %w", name, b.Name, err)
		}
	}
	s.uploads.forget(b.Name)
	return nil
}

func (s *Service) names(bucket string) ([]string, error) {
	all, err := s.library.ListObjectsWithOptionsPaginated(bucket, fakestorage.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("cannot list bucket %q: %w", bucket, err)
	}
	names := make([]string, len(all.Objects))
	for i, object := range all.Objects {
		names[i] = object.Name
	}
	return names, nil
}

// guard turns the library's way to report an error into an error.
func guard(run func()) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%v", cause) //nolint:err113 // has no kind
		}
	}()
	run()
	return nil
}
