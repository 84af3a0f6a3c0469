package bucketaccess

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// handback tells the controller that nothing of the access is left, so that it
// may take the finalizer off. From then on the sidecar leaves the access alone.
type handback struct{}

func (*handback) Walk(ctx context.Context, access *subject) (bool, error) {
	return false, access.PatchMetadata(ctx, func(a *v1alpha2.BucketAccess) {
		metav1.SetMetaDataAnnotation(&a.ObjectMeta, v1alpha2.SidecarCleanupFinishedAnnotation, "")
	})
}
