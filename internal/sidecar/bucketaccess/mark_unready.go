package bucketaccess

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// markUnready says that the access must not be used any more, before anything is
// taken away.
func (a *attempt) markUnready(ctx context.Context) error {
	a.versions.Forget(client.ObjectKeyFromObject(a.Object))
	// The annotation counts from the next write on. If it were set already, the
	// access would be removed while its credentials stay valid.
	if err := a.PatchMetadata(ctx, removeCleanupFinished); err != nil {
		return err
	}
	a.Object.Status.ReadyToUse = false
	return a.SaveStatus(ctx)
}
