package bucket

import (
	"cmp"
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/connection"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/uniqueid"
)

// generateID is phase 1 of dynamic provisioning: the driver generates the ID of the bucket, and the
// status persists it.
func (a *attempt) generateID(ctx context.Context) error {
	if a.Object.Status.BucketID != "" || isStatic(a.Object) {
		return nil
	}
	var id string
	err := a.rejections.Once(a.driver.Conn, a.Object, inputs(a.Object), func() (err error) {
		id, err = a.driver.GenerateBucketID(ctx, a.Object)
		return connection.ReasonFor(err)
	})
	if err != nil {
		return err
	}
	// The ID is persisted before the driver creates its bucket. Otherwise, if the Bucket were
	// deleted before the next write, nothing would record which bucket to delete in the backend,
	// and it would leak.
	return a.ids.Save(ctx, a.Patcher, id)
}

// inputs are what the calls that provision a Bucket depend on. They have the ID: phase 2 asks
// something else than phase 1.
func inputs(bucket *v1alpha2.Bucket) any {
	return [...]any{bucket.Generation, bucket.Status.BucketID}
}

// byID finds Buckets by their IDs. A Bucket for an existing bucket has its ID from the beginning,
// and an administrator may have created several for one bucket, because COSI does not delete it.
var byID = uniqueid.Index[*v1alpha2.Bucket]{
	Kind:    "Bucket",
	Method:  "DriverGenerateBucketId",
	New:     func() *v1alpha2.Bucket { return &v1alpha2.Bucket{} },
	NewList: func() client.ObjectList { return &v1alpha2.BucketList{} },
	Driver:  func(b *v1alpha2.Bucket) string { return b.Spec.DriverName },
	ID: func(b *v1alpha2.Bucket) string {
		if cosireconcile.IsReleased(b) {
			return ""
		}
		return cmp.Or(b.Status.BucketID, b.Spec.ExistingBucketID)
	},
	StatusID: func(b *v1alpha2.Bucket) *string { return &b.Status.BucketID },
}

// RegisterIndexes adds the indexes that this package needs to a cache that has not
// been started.
func RegisterIndexes(ctx context.Context, indexer client.FieldIndexer) error {
	return byID.AddTo(ctx, indexer)
}
