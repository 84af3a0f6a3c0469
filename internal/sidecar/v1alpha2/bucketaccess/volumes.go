package bucketaccess

import (
	"context"

	"github.com/cosi-emu/cosi-emu/internal/reconcile/volumes"
)

// recordUse maintains the condition InUse, which the runner writes.
func (a *attempt) recordUse(context.Context) error {
	volumes.SetCondition(&a.Object.Status.Conditions, a.Object)
	return nil
}

// checkUnused keeps the access while Pods use it in volumes. New Pods cannot: the access is not ready any more.
func (a *attempt) checkUnused(context.Context) error { return volumes.CheckUnused(a.Object) }
