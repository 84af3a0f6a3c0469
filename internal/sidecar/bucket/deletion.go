package bucket

import (
	"context"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/driver"
)

// deletion has the driver delete the bucket, with the policy Delete. A driver
// that fails or refuses keeps the finalizer where it is: what is left in the
// backend stays visible.
type deletion struct{ driver *driver.Driver }

func (d *deletion) Walk(ctx context.Context, bucket *subject) (bool, error) {
	// Without an ID nothing was ever created. With Retain, the bucket stays.
	if bucket.Object.Status.BucketID == "" || bucket.Object.Spec.DeletionPolicy != v1alpha2.DeletionPolicyDelete {
		return true, nil
	}
	if err := checkPolicy(bucket.Object); err != nil {
		return false, err
	}
	if err := d.driver.DeleteBucket(ctx, bucket.Object); err != nil {
		return false, driver.ReasonFor(err)
	}
	return true, nil
}
