package engine

import (
	"context"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

// changeBackend makes the changes of the step directly in the backend, without COSI.
func (r *run) changeBackend(ctx context.Context, asked *spec.Backend) error {
	backend := r.engine.emulator.Store()
	for _, change := range []struct {
		name spec.Text
		do   func(name string) error
	}{
		{asked.CreateBucket, func(name string) error {
			r.markExternal(name)
			_, err := backend.CreateBucket(ctx, fakedriver.BucketSpec{Name: name, Owner: backendOwner, Purge: true})
			return err
		}},
		{asked.DeleteBucket, func(name string) error {
			r.watcher.MarkExternal(name)
			if r.engine.ownDriver() {
				return r.deleteByStep(ctx, name)
			}
			return r.deleteBucket(ctx, name)
		}},
		{asked.DeleteAccount, func(id string) error {
			r.watcher.MarkExternal(id)
			return backend.DeleteAccount(ctx, r.ownerOf(ctx, id), id)
		}},
	} {
		if change.name.IsZero() {
			continue
		}
		name, err := r.variables.Text(ctx, change.name)
		if err != nil {
			return err
		}
		if err := change.do(name); err != nil {
			return err
		}
	}
	return r.changeContents(ctx, asked)
}

// setPolicy changes the rights of an account in a bucket.
func (r *run) setPolicy(ctx context.Context, asked *spec.Policy) error {
	bucket, err := r.variables.Text(ctx, asked.Bucket)
	if err != nil {
		return err
	}
	account, err := r.variables.Text(ctx, asked.Account)
	if err != nil {
		return err
	}
	r.watcher.MarkExternal(account)
	return r.engine.emulator.Store().SetGrant(ctx, account, fakedriver.Grant{
		Bucket: bucket, ObjectData: fakedriver.AccessMode(asked.ObjectData),
		ObjectMetadata: fakedriver.AccessMode(asked.ObjectMetadata), BucketMetadata: fakedriver.AccessMode(asked.BucketMetadata),
	})
}

const backendOwner = "admin"

func (r *run) ownerOf(ctx context.Context, account string) string {
	accounts, _ := r.engine.emulator.Store().Accounts(ctx) // the next call returns the error
	for _, a := range accounts {
		if a.ID == account {
			return a.Owner
		}
	}
	return ""
}
