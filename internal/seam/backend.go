package seam

import (
	"context"
	"errors"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/seam/operations"
)

// Backend makes the fake driver's calls to its store operations of this incarnation at the store
// seam.
func (i *Incarnation) Backend(next fakedriver.Backend) fakedriver.Backend {
	return &backend{incarnation: i, next: next}
}

// Emptier deletes the contents of buckets. *store.Store implements it.
type Emptier interface {
	EmptyBucket(ctx context.Context, bucket string) error
}

// EmptyBucket deletes the contents of a bucket as an operation of the store's incarnation at the
// store seam.
func (i *Incarnation) EmptyBucket(ctx context.Context, of Emptier, bucket string) error {
	op := journal.Operation{Name: operations.AdminEmptyBucket, Subject: bucket}
	return i.Cross(ctx, journal.SeamStore, op, storeOutcome, func(ctx context.Context) error { return of.EmptyBucket(ctx, bucket) })
}

type backend struct {
	incarnation *Incarnation
	next        fakedriver.Backend
}

func (b *backend) cross(ctx context.Context, name, subject string, call func(context.Context) error) error {
	return b.incarnation.Cross(ctx, journal.SeamStore, journal.Operation{Name: name, Subject: subject}, storeOutcome, call)
}

// result makes a call with a result, which is empty after an error.
func result[T any](
	ctx context.Context, b *backend, name, subject string, call func(context.Context) (T, error),
) (T, error) {
	var got, none T
	err := b.cross(ctx, name, subject, func(ctx context.Context) (err error) {
		got, err = call(ctx)
		return err
	})
	if err != nil {
		return none, err
	}
	return got, nil
}

func (b *backend) CreateBucket(ctx context.Context, spec fakedriver.BucketSpec) (fakedriver.Bucket, error) {
	return result(ctx, b, operations.AdminCreateBucket, spec.Name, func(ctx context.Context) (fakedriver.Bucket, error) {
		return b.next.CreateBucket(ctx, spec)
	})
}

func (b *backend) GetBucket(ctx context.Context, name string) (fakedriver.Bucket, error) {
	return result(ctx, b, operations.AdminGetBucket, name, func(ctx context.Context) (fakedriver.Bucket, error) {
		return b.next.GetBucket(ctx, name)
	})
}

func (b *backend) DeleteBucket(ctx context.Context, owner, name string) error {
	return b.cross(ctx, operations.AdminDeleteBucket, name, func(ctx context.Context) error {
		return b.next.DeleteBucket(ctx, owner, name)
	})
}

func (b *backend) PutAccount(ctx context.Context, spec fakedriver.AccountSpec) (fakedriver.Credentials, error) {
	return result(ctx, b, operations.AdminPutAccount, spec.ID, func(ctx context.Context) (fakedriver.Credentials, error) {
		return b.next.PutAccount(ctx, spec)
	})
}

func (b *backend) RotateAccount(ctx context.Context, owner, id string) (fakedriver.Credentials, error) {
	return result(ctx, b, operations.AdminRotateAccount, id, func(ctx context.Context) (fakedriver.Credentials, error) {
		return b.next.RotateAccount(ctx, owner, id)
	})
}

func (b *backend) DeleteAccount(ctx context.Context, owner, id string) error {
	return b.cross(ctx, operations.AdminDeleteAccount, id, func(ctx context.Context) error {
		return b.next.DeleteAccount(ctx, owner, id)
	})
}

// storeOutcome names the error of a call to the store.
func storeOutcome(err error) string {
	for kind, outcome := range map[error]string{
		fakedriver.ErrNotExist: "NotExist",
		fakedriver.ErrConflict: "Conflict",
		fakedriver.ErrNotEmpty: "NotEmpty",
		fakedriver.ErrInvalid:  "Invalid",
		fakedriver.ErrLimit:    "Limit",
		fakedriver.ErrClosed:   "Closed",
		context.Canceled:       "Canceled",
	} {
		if errors.Is(err, kind) {
			return outcome
		}
	}
	if failed, ok := errors.AsType[*storeError](err); ok {
		return failed.code
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "DeadlineExceeded"
	}
	return "Error"
}
