package backend

import (
	"context"
	"errors"
	"fmt"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/internal/scenario/storeadmin"
)

// Store is the backend of a scenario whose drivers use the emulator's store.
type Store struct {
	Scenario

	Store storeadmin.Store // without a store, the methods that clean up do nothing
}

// Compare compares the contents of the store with the expected ones.
func (s *Store) Compare(ctx context.Context, b *spec.Backend) error {
	truth, err := s.backendState(ctx)
	if err != nil {
		return err
	}
	for _, part := range []struct {
		kind     string
		expected spec.Named
		got      map[string]any
		only     bool
	}{
		{"bucket", b.Buckets, truth.buckets, b.Only},
		{"account", b.Accounts, truth.accounts, b.Only},
		{"policy of bucket", b.Policies, truth.policies, false},
	} {
		if err := s.compare(ctx, part.kind, part.expected, part.got, part.only); err != nil {
			return err
		}
	}
	return s.compareObjects(ctx, b.Objects)
}

// Change makes the changes of the step directly in the backend, without COSI.
func (s *Store) Change(ctx context.Context, asked *spec.Backend) error {
	backend := s.Store
	for _, change := range []struct {
		name spec.Text
		do   func(name string) error
	}{
		{asked.CreateBucket, func(name string) error {
			s.External.add(name)
			_, err := backend.CreateBucket(ctx, fakedriver.BucketSpec{Name: name, Owner: storeadmin.Account, Purge: true})
			return err
		}},
		{asked.DeleteBucket, func(name string) error {
			s.External.Watcher.MarkExternal(name)
			return s.deleteBucket(ctx, name)
		}},
		{asked.DeleteAccount, func(id string) error {
			s.External.Watcher.MarkExternal(id)
			return backend.DeleteAccount(ctx, s.ownerOf(ctx, id), id)
		}},
	} {
		if change.name.IsZero() {
			continue
		}
		name, err := s.Variables.Text(ctx, change.name)
		if err != nil {
			return err
		}
		if err := change.do(name); err != nil {
			return err
		}
	}
	return s.changeContents(ctx, asked)
}

// setPolicy changes the rights of an account in a bucket.
func (s *Store) setPolicy(ctx context.Context, asked *spec.Policy) error {
	bucket, err := s.Variables.Text(ctx, asked.Bucket)
	if err != nil {
		return err
	}
	account, err := s.Variables.Text(ctx, asked.Account)
	if err != nil {
		return err
	}
	s.External.Watcher.MarkExternal(account)
	return s.Store.SetGrant(ctx, account, fakedriver.Grant{
		Bucket: bucket, ObjectData: fakedriver.AccessMode(asked.ObjectData),
		ObjectMetadata: fakedriver.AccessMode(asked.ObjectMetadata), BucketMetadata: fakedriver.AccessMode(asked.BucketMetadata),
	})
}

func (s *Store) ownerOf(ctx context.Context, account string) string {
	accounts, _ := s.Store.Accounts(ctx) // the next call returns the error
	for _, a := range accounts {
		if a.ID == account {
			return a.Owner
		}
	}
	return ""
}

// deleteBucket deletes a bucket and its objects, which requires the store's
// administrator.
func (s *Store) deleteBucket(ctx context.Context, name string) error {
	backend := s.Store
	b, err := backend.GetBucket(ctx, name)
	if err != nil {
		return err
	}
	if err := backend.DeleteBucket(ctx, b.Owner, name); !errors.Is(err, fakedriver.ErrNotEmpty) {
		return err
	}
	if err := s.empty(ctx, b.Name); err != nil {
		return err
	}
	return backend.DeleteBucket(ctx, b.Owner, name)
}

// empty deletes the contents of a bucket, including locked objects.
func (s *Store) empty(ctx context.Context, bucket string) error {
	if err := s.Store.AdminEmptyBucket(ctx, bucket); err != nil {
		return fmt.Errorf("empty bucket %s: %w", bucket, err)
	}
	return nil
}
