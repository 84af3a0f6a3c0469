package statuspatch

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/driver"
)

// Identify persists the ID that the driver has named for what it is to create,
// and has not created yet. An ID that the API server refuses is the driver's
// fault.
func (d *Draft[T]) Identify(ctx context.Context, id string) error {
	status := d.status(d.Object)
	*status.ID = id
	status.conclude(nil)
	err := d.SaveStatus(ctx, cosievents.Provision)
	if apierrors.IsInvalid(err) {
		*status.ID = ""
		return driver.InvalidResponse("the API server does not accept the ID %q", id)
	}
	return err
}
