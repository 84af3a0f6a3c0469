package bucket

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// departure takes the finalizer off, which lets the Bucket go.
type departure struct{}

func (*departure) Walk(ctx context.Context, bucket *subject) (bool, error) {
	// The patch fails if the Bucket is newer than what was read. So a cache that
	// is behind, and does not show a bucket ID that was persisted meanwhile,
	// cannot let a Bucket go of which something is left in the backend.
	err := bucket.PatchMetadata(ctx, func(b *v1alpha2.Bucket) {
		controllerutil.RemoveFinalizer(b, v1alpha2.ProtectionFinalizer)
	})
	if err != nil {
		return false, err
	}
	bucket.Deprovisioned(epitaph(bucket.Object))
	return true, nil
}

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
