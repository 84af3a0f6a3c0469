package bucket

import (
	"context"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
)

// deleteBucket has the driver delete the bucket, if the policy is Delete. If the
// driver fails, the finalizer stays: what is left in the backend stays visible.
func (a *attempt) deleteBucket(ctx context.Context) error {
	if !isDoomed(a.Object) {
		return nil
	}
	return a.line.Call(a.Object, func() error { return a.deleteDoomed(ctx) }, a.Object.Status.BucketID)
}

// deleteDoomed decides again, by the Bucket as the API server has it: the data cannot
// be brought back. The cache may not show yet that an administrator has decided to
// keep it, or that the Bucket is bound.
func (a *attempt) deleteDoomed(ctx context.Context) error {
	if err := a.Reload(ctx); err != nil {
		return err
	}
	if err := checkReleased(a.Object); err != nil || !isDoomed(a.Object) {
		return err
	}
	if err := checkPolicy(a.Object); err != nil {
		return err
	}
	return connection.ReasonFor(a.driver.DeleteBucket(ctx, a.Object))
}

// isDoomed reports whether the backend bucket has to go with the Bucket. Without an ID
// nothing was ever created. With Retain, the bucket stays.
func isDoomed(bucket *v1alpha2.Bucket) bool {
	return bucket.Status.BucketID != "" && bucket.Spec.DeletionPolicy == v1alpha2.DeletionPolicyDelete
}
