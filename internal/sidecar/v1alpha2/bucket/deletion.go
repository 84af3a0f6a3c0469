package bucket

import (
	"context"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
)

// deleteBucket lets the driver delete the bucket, if the policy is Delete. If the driver fails, the
// finalizer stays, so that the bucket in the backend stays visible.
func (a *attempt) deleteBucket(ctx context.Context) error {
	if !isDoomed(a.Object) {
		return nil
	}
	return a.line.Call(a.Object, func() error { return a.deleteDoomed(ctx) }, a.Object.Status.BucketID)
}

// deleteDoomed decides again, by the API server's Bucket, because the data cannot be restored. An
// administrator may just have decided to keep it, or the Bucket may be bound, and the cache not
// show it yet.
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

// isDoomed reports whether the backend bucket must be deleted with the Bucket. Without an ID it was
// never created. With Retain, it stays.
func isDoomed(bucket *v1alpha2.Bucket) bool {
	return bucket.Status.BucketID != "" && bucket.Spec.DeletionPolicy == v1alpha2.DeletionPolicyDelete
}
