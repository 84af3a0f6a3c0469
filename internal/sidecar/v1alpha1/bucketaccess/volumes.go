package bucketaccess

import (
	"context"

	"github.com/cosi-emu/cosi-emu/internal/reconcile/volumes"
)

// checkUnused keeps the access while Pods use it in volumes.
func (a *attempt) checkUnused(context.Context) error { return volumes.CheckUnused(a.Object) }
