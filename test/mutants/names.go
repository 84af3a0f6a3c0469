package mutants

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/fakedriver"
)

// randomNames creates a bucket under another name if its name already exists. The driver
// does not recognize a bucket that it created itself.
func randomNames() substitution {
	return func(o *fakedriver.Options) emulator.Server {
		o.Backend = &forgettingBackend{o.Backend}
		return nil
	}
}

type forgettingBackend struct{ fakedriver.Backend }

// CreateBucket implements fakedriver.Backend.
func (f *forgettingBackend) CreateBucket(ctx context.Context, spec fakedriver.BucketSpec) (fakedriver.Bucket, error) {
	switch _, err := f.GetBucket(ctx, spec.Name); {
	case err == nil:
		const maxName = 63
		suffix := "-" + strings.ToLower(rand.Text()[:6])
		spec.Name = spec.Name[:min(len(spec.Name), maxName-len(suffix))] + suffix
	case !errors.Is(err, fakedriver.ErrNotExist):
		return fakedriver.Bucket{}, err
	}
	return f.Backend.CreateBucket(ctx, spec)
}
