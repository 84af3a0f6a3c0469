package seam

import (
	"context"
	"errors"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/fakedriver/store"
)

// Backend makes the fake driver's calls to its store cross the store seam as
// this incarnation's.
func (i *Incarnation) Backend(next fakedriver.Backend) fakedriver.Backend {
	return &backend{incarnation: i, next: next}
}

type backend struct {
	incarnation *Incarnation
	next        fakedriver.Backend
}

func (b *backend) cross(ctx context.Context, name, subject string, call func(context.Context) error) error {
	return b.incarnation.Cross(ctx, journal.SeamStore, journal.Operation{Name: name, Subject: subject}, storeOutcome, call)
}

func (b *backend) CreateBucket(ctx context.Context, spec store.BucketSpec) (bucket store.Bucket, err error) {
	err = b.cross(ctx, "AdminCreateBucket", spec.Name, func(ctx context.Context) (err error) {
		bucket, err = b.next.CreateBucket(ctx, spec)
		return err
	})
	return bucket, err
}

func (b *backend) GetBucket(ctx context.Context, name string) (bucket store.Bucket, err error) {
	err = b.cross(ctx, "AdminGetBucket", name, func(ctx context.Context) (err error) {
		bucket, err = b.next.GetBucket(ctx, name)
		return err
	})
	return bucket, err
}

func (b *backend) DeleteBucket(ctx context.Context, owner, name string) error {
	return b.cross(ctx, "AdminDeleteBucket", name, func(ctx context.Context) error {
		return b.next.DeleteBucket(ctx, owner, name)
	})
}

func (b *backend) PutAccount(ctx context.Context, spec store.AccountSpec) (credentials store.Credentials, err error) {
	err = b.cross(ctx, "AdminPutAccount", spec.ID, func(ctx context.Context) (err error) {
		credentials, err = b.next.PutAccount(ctx, spec)
		return err
	})
	return credentials, err
}

func (b *backend) RotateAccount(ctx context.Context, owner, id string) (credentials store.Credentials, err error) {
	err = b.cross(ctx, "AdminRotateAccount", id, func(ctx context.Context) (err error) {
		credentials, err = b.next.RotateAccount(ctx, owner, id)
		return err
	})
	return credentials, err
}

func (b *backend) DeleteAccount(ctx context.Context, owner, id string) error {
	return b.cross(ctx, "AdminDeleteAccount", id, func(ctx context.Context) error {
		return b.next.DeleteAccount(ctx, owner, id)
	})
}

// storeOutcome names the error of an administrative call.
func storeOutcome(err error) string {
	for kind, outcome := range map[error]string{
		store.ErrNotExist: "NotExist",
		store.ErrConflict: "Conflict",
		store.ErrNotEmpty: "NotEmpty",
		store.ErrInvalid:  "Invalid",
		store.ErrLimit:    "Limit",
		store.ErrClosed:   "Closed",
		context.Canceled:  "Canceled",
	} {
		if errors.Is(err, kind) {
			return outcome
		}
	}
	return "Error"
}
