package bucket

import (
	"context"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/driver"
)

// deleteBucket has the driver delete the bucket, if the policy is Delete. If the
// driver fails, the finalizer stays: what is left in the backend stays visible.
func (a *attempt) deleteBucket(ctx context.Context) error {
	// Without an ID nothing was ever created. With Retain, the bucket stays.
	if a.Object.Status.BucketID == "" || a.Object.Spec.DeletionPolicy != v1alpha2.DeletionPolicyDelete {
		return nil
	}
	if err := checkPolicy(a.Object); err != nil {
		return err
	}
	return driver.ReasonFor(a.driver.DeleteBucket(ctx, a.Object))
}
