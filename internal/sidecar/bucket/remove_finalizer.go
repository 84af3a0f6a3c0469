package bucket

import (
	"context"
	"fmt"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// removeFinalizer releases the Bucket.
func (a *attempt) removeFinalizer(ctx context.Context) error {
	// The patch fails if the Bucket is newer than what was read. So a cache that
	// is behind, and does not show a bucket ID that was persisted meanwhile,
	// cannot release a Bucket of which something is left in the backend.
	err := a.PatchMetadata(ctx, func(b *v1alpha2.Bucket) {
		controllerutil.RemoveFinalizer(b, v1alpha2.ProtectionFinalizer)
	})
	if err != nil {
		return err
	}
	if len(a.Object.GetFinalizers()) == 0 {
		a.released.add(a.Object)
	}
	a.Event(v1alpha2.ReasonDeprovisioned, describeEnd(a.Object))
	return nil
}

// released has the Buckets that the sidecar has released, until the cache does not
// have them any more. The API server answers the write that removes an object with
// the version from before. So a read does not wait until the cache has seen the
// removal, and the driver would be asked again to delete the bucket.
//
// It is safe for concurrent use.
type released struct{ uids sync.Map } // client.ObjectKey to types.UID

func (r *released) add(bucket client.Object) {
	r.uids.Store(client.ObjectKeyFromObject(bucket), bucket.GetUID())
}

func (r *released) has(bucket client.Object) bool {
	uid, ok := r.uids.Load(client.ObjectKeyFromObject(bucket))
	return ok && uid == bucket.GetUID()
}

func (r *released) forget(bucket client.ObjectKey) { r.uids.Delete(bucket) }

func describeEnd(bucket *v1alpha2.Bucket) string {
	switch {
	case bucket.Status.BucketID == "":
		return "the backend has no bucket to delete"
	case bucket.Spec.DeletionPolicy == v1alpha2.DeletionPolicyDelete:
		return fmt.Sprintf("driver %s has deleted bucket %q", bucket.Spec.DriverName, shorten(bucket.Status.BucketID))
	default:
		return fmt.Sprintf("bucket %q stays in the backend, by the deletion policy Retain", shorten(bucket.Status.BucketID))
	}
}
