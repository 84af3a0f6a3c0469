package backend

import (
	"context"
	"errors"
	"slices"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/scenario/storeadmin"
)

// ownBuckets returns the scenario's buckets in the store: those that COSI, the
// scenario's drivers or its steps have created.
func (s *Store) ownBuckets(ctx context.Context) ([]fakedriver.Bucket, error) {
	backend := s.Store.Store
	if backend == nil {
		return nil, nil
	}
	all, err := backend.Buckets(ctx)
	return slices.DeleteFunc(all, func(b fakedriver.Bucket) bool {
		return !s.IsOwn(b.Name) && !s.IsOwn(b.Owner) && !s.External.has(b.Name)
	}), err
}

// Empty deletes the objects in the scenario's buckets, which would block the
// deletion of the buckets. A scenario that tests this does so before the clean-up.
func (s *Store) Empty(ctx context.Context) error {
	own, err := s.ownBuckets(ctx)
	failed := []error{err}
	for _, b := range own {
		if !b.Purge {
			failed = append(failed, s.empty(ctx, b.Name))
		}
	}
	return errors.Join(failed...)
}

// CleanUp removes what COSI leaves in the store: retained buckets, buckets
// created outside COSI, and leaks, which the oracles have already reported.
func (s *Store) CleanUp(ctx context.Context) error {
	own, err := s.ownBuckets(ctx)
	failed := []error{err}
	for _, b := range own {
		failed = append(failed, ignoreNotExist(s.deleteBucket(ctx, b.Name)))
	}
	backend := s.Store.Store
	if backend == nil {
		return errors.Join(failed...)
	}
	accounts, err := backend.Accounts(ctx)
	failed = append(failed, err)
	for _, a := range accounts {
		if a.ID != storeadmin.Account && (s.IsOwn(a.ID) || s.IsOwn(a.Owner)) {
			failed = append(failed, ignoreNotExist(backend.DeleteAccount(ctx, a.Owner, a.ID)))
		}
	}
	return errors.Join(failed...)
}

func ignoreNotExist(err error) error {
	if errors.Is(err, fakedriver.ErrNotExist) {
		return nil
	}
	return err
}

// EmptyAll deletes the objects in all buckets of a store, as the store's administrator.
func EmptyAll(ctx context.Context, store storeadmin.Store) error {
	if store.Store == nil {
		return nil
	}
	all, err := store.Buckets(ctx)
	failed := []error{err}
	s := &Store{Store: store}
	for _, b := range all {
		failed = append(failed, ignoreNotExist(s.empty(ctx, b.Name)))
	}
	return errors.Join(failed...)
}
