package bucketaccess

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/internal/reconciliation/announcement"
)

// withdrawal says that the access is not to be used any more, before anything is
// taken away.
type withdrawal struct{ memory *memory }

func (w *withdrawal) Walk(ctx context.Context, access *subject) (bool, error) {
	w.memory.forget(client.ObjectKeyFromObject(access.Object))
	access.Object.Status.ReadyToUse = false
	return true, access.SaveStatus(ctx, announcement.Deprovision)
}
