package bucketaccess

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// markUnready marks the access as unusable before anything is removed.
func (a *attempt) markUnready(ctx context.Context) error {
	a.versions.Forget(client.ObjectKeyFromObject(a.Object))
	if err := a.PatchMetadata(ctx, removeCleanupFinished); err != nil {
		return err
	}
	a.Object.Status.ReadyToUse = false
	return a.SaveStatus(ctx)
}

// finishCleanup tells the controller that the access is cleaned up, so that it may remove the
// finalizer. From then on the sidecar ignores the access.
func (a *attempt) finishCleanup(ctx context.Context) error {
	return a.PatchMetadata(ctx, func(access *v1alpha2.BucketAccess) {
		metav1.SetMetaDataAnnotation(&access.ObjectMeta, v1alpha2.SidecarCleanupFinishedAnnotation, "")
	})
}
