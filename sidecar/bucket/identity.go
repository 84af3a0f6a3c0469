package bucket

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/cosi-emu/cosi-emu/sidecar/driver"
	"github.com/cosi-emu/cosi-emu/sidecar/internal/announcement"
	"github.com/cosi-emu/cosi-emu/sidecar/internal/finding"
)

// identity is phase 1 of dynamic provisioning: the driver names the ID of the
// bucket to be, and the status keeps it.
type identity struct{ driver *driver.Driver }

func (i *identity) walk(ctx context.Context, bucket *subject) (bool, error) {
	if bucket.Object.Status.BucketID != "" || isStatic(bucket.Object) {
		return true, nil
	}
	id, err := i.driver.GenerateBucketID(ctx, bucket.Object)
	if err != nil {
		return false, finding.FromDriver(err)
	}
	// The ID is written down before the driver creates anything by it. Were it
	// not, and the Bucket deleted before the next write, nobody would know which
	// bucket to delete in the backend, and it would stay for ever.
	bucket.Object.Status.BucketID = id
	conclude(bucket.Object, nil)
	err = bucket.SaveStatus(ctx, announcement.Provision)
	if apierrors.IsInvalid(err) {
		bucket.Object.Status.BucketID = ""
		return false, finding.InvalidResponse("the API server does not accept bucket ID %q", id)
	}
	return err == nil, err
}
