package scale

import (
	"context"

	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// forgetful is the backend of the driver: it agrees to everything and remembers
// nothing, so that neither its time nor its memory grows with what there is.
type forgetful struct{}

func (forgetful) CreateBucket(_ context.Context, spec fakedriver.BucketSpec) (fakedriver.Bucket, error) {
	return fakedriver.Bucket{BucketSpec: spec}, nil
}

func (forgetful) GetBucket(_ context.Context, name string) (fakedriver.Bucket, error) {
	return fakedriver.Bucket{BucketSpec: fakedriver.BucketSpec{Name: name}}, nil
}

func (forgetful) DeleteBucket(context.Context, string, string) error { return nil }

func (forgetful) PutAccount(_ context.Context, spec fakedriver.AccountSpec) (fakedriver.Credentials, error) {
	return fakedriver.Credentials{AccessKeyID: "key-of-" + spec.ID, SecretAccessKey: "of no use"}, nil
}

func (forgetful) DeleteAccount(context.Context, string, string) error { return nil }

func (forgetful) RotateAccount(_ context.Context, _, id string) (fakedriver.Credentials, error) {
	return fakedriver.Credentials{AccessKeyID: "key-of-" + id, SecretAccessKey: "of no use"}, nil
}
