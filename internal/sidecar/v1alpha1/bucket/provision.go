package bucket

import (
	"context"
	"fmt"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha1/driver"
)

// provision makes the Bucket ready. A Bucket with a known ID is never created again.
func (a *attempt) provision(ctx context.Context) error {
	status := &a.Object.Status
	switch {
	case status.BucketID != "":
		status.BucketReady = true
		return nil
	case a.Object.Spec.ExistingBucketID != "":
		status.BucketID, status.BucketReady = a.Object.Spec.ExistingBucketID, true
		a.EventOnSave(v1alpha2.ReasonProvisioned, "the bucket exists without COSI")
		return nil
	case status.BucketReady: // set by another writer: without an ID, the bucket cannot be used
		status.BucketReady = false
		if err := a.SaveStatus(ctx); err != nil {
			return err
		}
	}
	return a.line.Call(a.Object, func() error { return a.create(ctx) }, turns(a.Object)...)
}

// create lets the driver create the bucket. An earlier call may have done so, and the cache not
// show it yet.
func (a *attempt) create(ctx context.Context) error {
	if err := a.Reload(ctx); err != nil {
		return err
	}
	if a.Object.Status.BucketID != "" || !a.Object.DeletionTimestamp.IsZero() || !isProtected(a.Object) {
		a.Requeue()
		return cosireconcile.ErrDone
	}
	var id string
	err := a.rejections.Once(a.driver.Conn, a.Object, a.Object.Spec.Parameters, func() (err error) {
		id, err = a.driver.CreateBucket(ctx, a.Object.Name, a.Object.Spec.Parameters)
		return reasonFor(err)
	})
	if err != nil {
		return err
	}
	a.EventOnSave(v1alpha2.ReasonProvisioned, fmt.Sprintf("driver %s has created the bucket", a.driver.Name()))
	return a.save(ctx, id, true)
}

// save persists the ID, unless another Bucket of the driver has it: the deletion of one would
// destroy the other's bucket.
func (a *attempt) save(ctx context.Context, id string, ready bool) error {
	before := a.Object.Status
	a.Object.Status.BucketReady = ready
	if err := a.ids.Save(ctx, a.Patcher, id); err != nil {
		a.Object.Status = before
		return err
	}
	return nil
}

// turns are the names by which calls for a bucket wait for each other.
func turns(bucket *v1alpha1.Bucket) []string {
	return driver.Turns(bucket.Name, bucketID(bucket))
}
