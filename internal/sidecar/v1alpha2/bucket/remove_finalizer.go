package bucket

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// removeFinalizer releases the Bucket.
func (a *attempt) removeFinalizer(ctx context.Context) error {
	// The patch fails if the Bucket is newer than the version that was read. So an outdated cache
	// that does not show a persisted bucket ID cannot release a Bucket whose bucket still exists in
	// the backend.
	err := a.PatchMetadata(ctx, func(b *v1alpha2.Bucket) {
		controllerutil.RemoveFinalizer(b, v1alpha2.ProtectionFinalizer)
	})
	if err != nil {
		return err
	}
	if len(a.Object.GetFinalizers()) == 0 {
		a.released.Add(a.Object)
	}
	a.Event(v1alpha2.ReasonDeprovisioned, describeEnd(a.Object))
	return nil
}

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
