package bucket

import (
	"context"

	"github.com/cosi-emu/cosi-emu/sidecar/driver"
	"github.com/cosi-emu/cosi-emu/sidecar/internal/verdict"
)

// identity is phase 1 of dynamic provisioning: the driver names the ID of the
// bucket to be, and the status keeps it.
type identity struct{ driver *driver.Driver }

func (i *identity) Walk(ctx context.Context, bucket *subject) (bool, error) {
	if bucket.Object.Status.BucketID != "" || isStatic(bucket.Object) {
		return true, nil
	}
	id, err := i.driver.GenerateBucketID(ctx, bucket.Object)
	if err != nil {
		return false, verdict.Of(err)
	}
	// The ID is written down before the driver creates anything by it. Were it
	// not, and the Bucket deleted before the next write, nobody would know which
	// bucket to delete in the backend, and it would stay for ever.
	return true, bucket.Identify(ctx, id)
}
