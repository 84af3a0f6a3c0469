package outage

import (
	"context"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

type backend struct {
	outage *Outage
	next   fakedriver.Backend
}

// Backend returns a backend that fails with the outage.
func (o *Outage) Backend(next fakedriver.Backend) fakedriver.Backend { return &backend{o, next} }

func (b *backend) CreateBucket(ctx context.Context, spec fakedriver.BucketSpec) (fakedriver.Bucket, error) {
	if err := b.outage.before(ctx); err != nil {
		return fakedriver.Bucket{}, err
	}
	return b.next.CreateBucket(ctx, spec)
}

func (b *backend) GetBucket(ctx context.Context, name string) (fakedriver.Bucket, error) {
	if err := b.outage.before(ctx); err != nil {
		return fakedriver.Bucket{}, err
	}
	return b.next.GetBucket(ctx, name)
}

func (b *backend) DeleteBucket(ctx context.Context, owner, name string) error {
	if err := b.outage.before(ctx); err != nil {
		return err
	}
	return b.next.DeleteBucket(ctx, owner, name)
}

func (b *backend) PutAccount(ctx context.Context, spec fakedriver.AccountSpec) (fakedriver.Credentials, error) {
	if err := b.outage.before(ctx); err != nil {
		return fakedriver.Credentials{}, err
	}
	return b.next.PutAccount(ctx, spec)
}

func (b *backend) RotateAccount(ctx context.Context, owner, id string) (fakedriver.Credentials, error) {
	if err := b.outage.before(ctx); err != nil {
		return fakedriver.Credentials{}, err
	}
	return b.next.RotateAccount(ctx, owner, id)
}

func (b *backend) DeleteAccount(ctx context.Context, owner, id string) error {
	if err := b.outage.before(ctx); err != nil {
		return err
	}
	return b.next.DeleteAccount(ctx, owner, id)
}
