package bucketaccess

import (
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha2/driver"
)

// statusOf returns the part of a BucketAccess's status that the runner maintains.
func statusOf(access *v1alpha2.BucketAccess) condition.Status {
	return condition.Status{
		Conditions:  &access.Status.Conditions,
		ReadyToUse:  &access.Status.ReadyToUse,
		Generation:  access.Generation,
		Incomplete:  access.Status.AccountID == "",
		Deleting:    !access.DeletionTimestamp.IsZero(),
		CallsDriver: true,
	}
}

func runnerStatus(access *v1alpha2.BucketAccess) cosireconcile.Status { return statusOf(access) }

// ownedBy reports whether an access belongs to the driver's sidecar: the controller has handed it
// off, and the sidecar has not finished its cleanup.
func ownedBy(access *v1alpha2.BucketAccess, d *driver.Driver) bool {
	return access.Status.DriverName == d.Name() && !v1alpha2.IsSidecarCleanupFinished(access)
}
