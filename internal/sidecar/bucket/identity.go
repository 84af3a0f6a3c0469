package bucket

import (
	"cmp"
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/driver"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/uniqueid"
)

// identity is phase 1 of dynamic provisioning: the driver names the ID of the
// bucket to be, and the status keeps it.
type identity struct {
	driver *driver.Driver
	ids    *uniqueid.Register[*v1alpha2.Bucket]
}

func (i *identity) Walk(ctx context.Context, bucket *subject) (bool, error) {
	if bucket.Object.Status.BucketID != "" || isStatic(bucket.Object) {
		return true, nil
	}
	id, err := i.driver.GenerateBucketID(ctx, bucket.Object)
	if err != nil {
		return false, driver.ReasonFor(err)
	}
	// The ID is written down before the driver creates anything by it. Were it
	// not, and the Bucket deleted before the next write, nobody would know which
	// bucket to delete in the backend, and it would stay for ever.
	return true, i.ids.Enter(ctx, bucket.Object, id, func() error { return bucket.Identify(ctx, id) })
}

// registered are Buckets by their IDs. One for a bucket that existed before has the
// ID from the beginning, and any number of those may stand for the same bucket: an
// administrator says so, and COSI deletes none of it.
var registered = uniqueid.Kind[*v1alpha2.Bucket]{
	Noun:    "Bucket",
	Method:  "DriverGenerateBucketId",
	New:     func() *v1alpha2.Bucket { return &v1alpha2.Bucket{} },
	NewList: func() client.ObjectList { return &v1alpha2.BucketList{} },
	Driver:  func(b *v1alpha2.Bucket) string { return b.Spec.DriverName },
	ID: func(b *v1alpha2.Bucket) string {
		if isGone(b) {
			return ""
		}
		return cmp.Or(b.Status.BucketID, b.Spec.ExistingBucketID)
	},
}

// RegisterIndexes adds the indexes that this package needs to a cache that has not
// been started.
func RegisterIndexes(ctx context.Context, indexer client.FieldIndexer) error {
	return registered.Index(ctx, indexer)
}
