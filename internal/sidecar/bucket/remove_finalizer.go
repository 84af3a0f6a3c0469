package bucket

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// departure takes the finalizer off, which lets the Bucket go.
type departure struct{ departed *departed }

func (d *departure) Walk(ctx context.Context, bucket *subject) (bool, error) {
	// The patch fails if the Bucket is newer than what was read. So a cache that
	// is behind, and does not show a bucket ID that was persisted meanwhile,
	// cannot let a Bucket go of which something is left in the backend.
	err := bucket.PatchMetadata(ctx, func(b *v1alpha2.Bucket) {
		controllerutil.RemoveFinalizer(b, v1alpha2.ProtectionFinalizer)
	})
	if err != nil {
		return false, err
	}
	if len(bucket.Object.GetFinalizers()) == 0 {
		d.departed.add(bucket.Object)
	}
	bucket.Deprovisioned(epitaph(bucket.Object))
	return true, nil
}

// departed has the Buckets that the sidecar has let go, until the cache does not
// have them any more. The API server answers the write that lets an object go
// with the version from before, so that a read does not wait for the cache to see
// its end, and the driver would be asked once more to delete the bucket.
//
// It is safe for concurrent use.
type departed struct{ uids sync.Map } // types.NamespacedName to types.UID

func (d *departed) add(bucket client.Object) {
	d.uids.Store(client.ObjectKeyFromObject(bucket), bucket.GetUID())
}

func (d *departed) has(bucket client.Object) bool {
	uid, ok := d.uids.Load(client.ObjectKeyFromObject(bucket))
	return ok && uid == bucket.GetUID()
}

func (d *departed) forget(bucket types.NamespacedName) { d.uids.Delete(bucket) }

func epitaph(bucket *v1alpha2.Bucket) string {
	switch {
	case bucket.Status.BucketID == "":
		return "nothing had been created in the backend"
	case bucket.Spec.DeletionPolicy == v1alpha2.DeletionPolicyDelete:
		return fmt.Sprintf("driver %s has deleted bucket %q", bucket.Spec.DriverName, shorten(bucket.Status.BucketID))
	default:
		return fmt.Sprintf("bucket %q stays in the backend, by the deletion policy Retain", shorten(bucket.Status.BucketID))
	}
}
