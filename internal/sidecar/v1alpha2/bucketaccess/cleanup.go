package bucketaccess

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
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
