package administration

import (
	"context"
	"fmt"

	"github.com/cosi-emu/cosi-emu/fakedriver"
	"github.com/cosi-emu/cosi-emu/internal/store/authorization"
)

// CreateBucketBy creates a bucket for the caller of a protocol, who must be an administrator. If
// the name exists, it returns that bucket and an error of kind fakedriver.ErrConflict. The error is
// of kind authorization.ErrIdentity if the caller's key has been revoked.
func (a *Administrator) CreateBucketBy(
	ctx context.Context, caller *authorization.Caller, spec fakedriver.BucketSpec,
) (b fakedriver.Bucket, err error) {
	err = a.exclusivelyBy(ctx, caller, func() (err error) {
		if existing, ok := a.options.Registry.Bucket(spec.Name); ok {
			b = existing
			return conflict("bucket", spec.Name, "its name is taken")
		}
		b, err = a.createBucket(spec)
		return err
	})
	return b, err
}

// DeleteBucketBy deletes a bucket for the caller of a protocol, who must be an
// administrator, as DeleteBucket does.
func (a *Administrator) DeleteBucketBy(ctx context.Context, caller *authorization.Caller, name string) error {
	return a.exclusivelyBy(ctx, caller, func() error { return a.deleteBucket(caller.Account().Owner, name) })
}

// exclusivelyBy checks the caller's key once more before a change, during which no account is
// deleted or rotated.
func (a *Administrator) exclusivelyBy(ctx context.Context, caller *authorization.Caller, change func() error) error {
	return a.exclusively(ctx, func() error {
		if !caller.IsLive() {
			return fmt.Errorf("key %w", authorization.ErrIdentity)
		}
		return change()
	})
}
