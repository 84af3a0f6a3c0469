// Package ownership decides which component a BucketAccess belongs to. The
// controller prepares an access, hands it to the driver's sidecar with one
// status write, and gets it back when the sidecar has cleaned up.
package ownership

import (
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// SidecarOwns reports whether the sidecar has the access: its status names a
// driver, and it is not a deleting access that the sidecar has finished with.
// The controller writes neither status nor finalizers of such an access.
func SidecarOwns(access *v1alpha2.BucketAccess) bool {
	return access.Status.DriverName != "" && !v1alpha2.IsSidecarCleanupFinished(access)
}

// NeedsClaims reports whether the BucketClaims of the access must stay: it may
// have credentials, or it is about to get some. A deleting access that was
// never handed off, one that the sidecar has cleaned up, and one that the
// controller has refused for good need nothing.
//
// The refusal counts only because it is recorded in the status: a later hand-off
// is a write to the same object, so the two cannot be seen at the same time.
func NeedsClaims(access *v1alpha2.BucketAccess) bool {
	if SidecarOwns(access) {
		return true
	}
	return access.DeletionTimestamp.IsZero() && !Refused(access)
}

// Refused reports whether the status records that an access which was not
// handed off cannot be granted as it stands.
func Refused(access *v1alpha2.BucketAccess) bool {
	return access.Status.DriverName == "" &&
		meta.IsStatusConditionFalse(access.Status.Conditions, v1alpha2.ConditionResourcesValidated)
}
