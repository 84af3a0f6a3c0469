package bucket

import (
	"cmp"
	"context"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
)

// deleteBucket has the driver delete the bucket, if the policy is Delete. If the
// driver fails, the finalizer stays: the remaining backend bucket stays visible. With Retain, the ID of
// the bucket is recorded before the Bucket goes, so that the administrator finds it.
func (a *attempt) deleteBucket(ctx context.Context) error {
	if a.isRetained() && bucketID(a.Object) != "" {
		return nil
	}
	return a.line.Call(a.Object, func() error { return a.deleteInTurn(ctx) }, turns(a.Object)...)
}

// deleteInTurn decides again, by the API server's Bucket, because the data cannot be restored. An
// administrator may just have decided to keep it, or an access may need it, and the cache not show
// it yet.
func (a *attempt) deleteInTurn(ctx context.Context) error {
	if err := a.Reload(ctx); err != nil {
		return err
	}
	if a.Object.DeletionTimestamp.IsZero() {
		a.Requeue()
		return cosireconcile.ErrDone
	}
	id := bucketID(a.Object)
	if err := a.releaseAccessed(ctx); err != nil || a.isRetained() && id != "" {
		return err
	}
	var err error
	switch {
	case id == "":
		id, err = a.learnID(ctx)
	case a.Object.Spec.ExistingBucketID != "":
		a.sharedBy, err = a.otherOwner(ctx, id)
	}
	if err != nil || id == "" || a.sharedBy != "" || a.isRetained() {
		return err
	}
	return reasonFor(a.driver.DeleteBucket(ctx, id, a.Object.Spec.Parameters))
}

// isRetained reports whether the bucket stays. The API has no other policies than Delete and Retain, and an unknown one deletes nothing.
func (a *attempt) isRetained() bool {
	return a.Object.Spec.DeletionPolicy != v1alpha1.DeletionPolicyDelete
}

// bucketID returns the ID of the bucket, or "" if the driver's answer to its creation was not saved.
func bucketID(b *v1alpha1.Bucket) string { return cmp.Or(b.Status.BucketID, b.Spec.ExistingBucketID) }

// learnID repeats an earlier call, which may have created a bucket without its ID being saved, to
// learn the ID. It returns no ID if there is no bucket that this Bucket may delete.
func (a *attempt) learnID(ctx context.Context) (string, error) {
	id, err := a.driver.CreateBucket(ctx, a.Object.Name, a.Object.Spec.Parameters)
	switch {
	case err != nil && a.failures.HasNothing(a.Object.UID, err):
		return "", nil
	case err != nil:
		return "", reasonFor(err)
	}
	holder, err := a.ids.Holder(ctx, a.Object, id)
	if err != nil || holder != nil {
		return "", err
	}
	// The ID is persisted before the bucket is deleted, so that no further deletion creates it
	// again.
	return id, a.save(ctx, id, false)
}

// otherOwner returns another Bucket of the driver for the same bucket, which stays for it: the one that the bucket
// was created for, or one of those that an administrator created for an existing bucket. It asks the API server,
// because the data cannot be restored.
func (a *attempt) otherOwner(ctx context.Context, id string) (name string, err error) {
	buckets := &v1alpha1.BucketList{}
	if err := a.live.List(ctx, buckets); err != nil {
		return "", err
	}
	for i := range buckets.Items {
		other := &buckets.Items[i]
		if other.UID != a.Object.UID && a.driver.Serves(other.Spec.DriverName) && byID.ID(other) == id {
			return other.Name, nil
		}
	}
	return "", nil
}
