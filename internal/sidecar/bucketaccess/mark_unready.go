package bucketaccess

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
)

// withdrawal says that the access is not to be used any more, before anything is
// taken away.
type withdrawal struct{ memory *memory }

func (w *withdrawal) Walk(ctx context.Context, access *subject) (bool, error) {
	w.memory.forget(client.ObjectKeyFromObject(access.Object))
	// The annotation is believed from the next write on. If somebody has set it
	// before, the access would go, and its credentials would stay valid for ever.
	if err := access.PatchMetadata(ctx, reclaim); err != nil {
		return false, err
	}
	access.Object.Status.ReadyToUse = false
	return true, access.SaveStatus(ctx, cosievents.Deprovision)
}
