package scale

import (
	"context"

	"github.com/cosi-emu/cosi-emu/internal/fakedriver/store"
)

// forgetful is the backend of the driver: it agrees to everything and remembers
// nothing, so that neither its time nor its memory grows with what there is.
type forgetful struct{}

func (forgetful) CreateBucket(_ context.Context, spec store.BucketSpec) (store.Bucket, error) {
	return store.Bucket{BucketSpec: spec}, nil
}

func (forgetful) GetBucket(_ context.Context, name string) (store.Bucket, error) {
	return store.Bucket{BucketSpec: store.BucketSpec{Name: name}}, nil
}

func (forgetful) DeleteBucket(context.Context, string, string) error { return nil }

func (forgetful) PutAccount(_ context.Context, spec store.AccountSpec) (store.Credentials, error) {
	return store.Credentials{AccessKeyID: "key-of-" + spec.ID, SecretAccessKey: "of no use"}, nil
}

func (forgetful) DeleteAccount(context.Context, string, string) error { return nil }

func (forgetful) RotateAccount(_ context.Context, _, id string) (store.Credentials, error) {
	return store.Credentials{AccessKeyID: "key-of-" + id, SecretAccessKey: "of no use"}, nil
}
