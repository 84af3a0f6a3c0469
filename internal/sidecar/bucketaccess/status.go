package bucketaccess

import (
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/driver"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/statuspatch"
)

// statusOf says what a BucketAccess's status consists of.
func statusOf(access *v1alpha2.BucketAccess) statuspatch.Status {
	return statuspatch.Status{
		ID:         &access.Status.AccountID,
		Conditions: &access.Status.Conditions,
		ReadyToUse: &access.Status.ReadyToUse,
		Generation: access.Generation,
		Deleting:   !access.DeletionTimestamp.IsZero(),
		LetGo:      v1alpha2.IsSidecarCleanupFinished(access),
	}
}

func provisioned(access *v1alpha2.BucketAccess) bool { return statusOf(access).Provisioned() }

// ownedBy reports whether an access is in the hands of the driver's sidecar: the
// controller has handed it over, and the sidecar has not yet handed it back.
func ownedBy(access *v1alpha2.BucketAccess, d *driver.Driver) bool {
	return access.Status.DriverName == d.Name() && !v1alpha2.IsSidecarCleanupFinished(access)
}
