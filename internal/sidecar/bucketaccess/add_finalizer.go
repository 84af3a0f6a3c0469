package bucketaccess

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// protection makes sure of the finalizer, which the controller has normally set,
// before anything outside is touched: an access that vanished after the driver
// had created an account would leak it. The controller takes it off again. For
// the same reason nothing may say that the access has been cleaned up.
type protection struct{}

func (*protection) Walk(ctx context.Context, access *subject) (bool, error) {
	return true, access.PatchMetadata(ctx, func(a *v1alpha2.BucketAccess) {
		controllerutil.AddFinalizer(a, v1alpha2.ProtectionFinalizer)
		reclaim(a)
	})
}

// reclaim takes off the annotation that would give the access back to the
// controller.
func reclaim(access *v1alpha2.BucketAccess) {
	delete(access.Annotations, v1alpha2.SidecarCleanupFinishedAnnotation)
}
