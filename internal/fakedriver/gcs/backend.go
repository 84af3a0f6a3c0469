package gcs

import (
	"context"
	"fmt"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/administration"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store"
)

// Backend is the driver's view of a store with GCS: it deletes GCS buckets together
// with their objects.
type Backend struct {
	*store.Store

	service *Service
}

// Backend returns the store together with the service's objects.
func (s *Service) Backend() Backend { return Backend{Store: s.options.Store, service: s} }

// DeleteBucket deletes a bucket like the store, and before that its objects, if
// allowed.
func (b Backend) DeleteBucket(ctx context.Context, owner, name string) error {
	b.service.lock.Lock()
	defer b.service.lock.Unlock()
	found, err := b.GetBucket(ctx, name)
	if err == nil && found.Protocol == fakedriver.ProtocolGCS && found.Owner == owner {
		err = b.service.clear(found)
	}
	if err != nil {
		return err
	}
	return b.Store.DeleteBucket(ctx, owner, name)
}

// Forget deletes data like the store, and also the objects of GCS buckets.
func (b Backend) Forget(ctx context.Context, chosen func(owner string) bool) (administration.DataLoss, error) {
	b.service.lock.Lock()
	defer b.service.lock.Unlock()
	buckets, err := b.Buckets(ctx)
	if err != nil {
		return administration.DataLoss{}, err
	}
	for _, found := range buckets {
		if found.Protocol != fakedriver.ProtocolGCS || !chosen(found.Owner) {
			continue
		}
		found.Purge = true
		if err := b.service.clear(found); err != nil {
			return administration.DataLoss{}, err
		}
	}
	return b.Store.Forget(ctx, chosen)
}

// clear deletes the objects of a bucket before the bucket is deleted.
func (s *Service) clear(b fakedriver.Bucket) error {
	if len(s.contents.of(b.Name).names) > 0 && !b.Purge {
		return fmt.Errorf("bucket %q %w", b.Name, fakedriver.ErrNotEmpty)
	}
	if err := s.files.clear(b.Name); err != nil {
		return err
	}
	delete(s.contents, b.Name)
	s.uploads.drop(b.Name)
	return nil
}

// load reads the stored objects of the store's buckets from files.
func (s *Service) load(ctx context.Context) error {
	buckets, err := s.options.Store.Buckets(ctx)
	if err != nil {
		return err
	}
	for _, b := range buckets {
		if b.Protocol != fakedriver.ProtocolGCS {
			continue
		}
		if err := s.files.load(b.Name, func(o *object) {
			s.generation = max(s.generation, o.Generation)
			s.contents.put(o)
		}); err != nil {
			return err
		}
	}
	return nil
}
