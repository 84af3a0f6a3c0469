package bucketaccess

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// addFinalizer ensures the finalizer, which the controller has normally set, before every call to
// the driver: otherwise an access that vanished after the driver had created an account would leak
// it. The controller removes the finalizer. For the same reason no annotation may mark the access
// as cleaned up.
func (a *attempt) addFinalizer(ctx context.Context) error {
	return a.PatchMetadata(ctx, func(access *v1alpha2.BucketAccess) {
		controllerutil.AddFinalizer(access, v1alpha2.ProtectionFinalizer)
		removeCleanupFinished(access)
	})
}

// removeCleanupFinished removes the annotation that would give the access back to
// the controller.
func removeCleanupFinished(access *v1alpha2.BucketAccess) {
	delete(access.Annotations, v1alpha2.SidecarCleanupFinishedAnnotation)
}
