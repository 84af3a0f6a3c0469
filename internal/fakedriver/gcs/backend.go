package gcs

import (
	"context"
	"fmt"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/administration"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store"
)

// Backend is the store as the driver sees it when there is GCS, too: buckets of
// GCS go together with their objects here.
type Backend struct {
	*store.Store

	service *Service
}

// Backend returns the store with the service's objects.
func (s *Service) Backend() Backend { return Backend{Store: s.options.Store, service: s} }

// DeleteBucket is that of the store, and deletes the bucket's objects before, if
// they may be deleted.
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

// Forget is that of the store, and deletes the objects of buckets of GCS, too.
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

// clear deletes the objects of a bucket that is about to be deleted.
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

// load adds the objects of the store's buckets that are kept in files.
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
