// Package ownership decides which component a BucketAccess belongs to. The controller prepares an
// access and hands it off to the driver's sidecar with one write of the status. It gets the access
// back when the sidecar has cleaned up.
package ownership

import (
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// SidecarOwns reports whether the access belongs to the sidecar: its status names a driver, and the
// sidecar has not finished its cleanup. The controller writes neither status nor finalizers of such
// an access.
func SidecarOwns(access *v1alpha2.BucketAccess) bool {
	return access.Status.DriverName != "" && !v1alpha2.IsSidecarCleanupFinished(access)
}

// NeedsClaims reports whether the BucketClaims of the access must stay, because it may have
// credentials, or is about to get some. An access needs no claims if it is being deleted and was
// never handed off, if the sidecar has cleaned it up, or if the controller has rejected it.
//
// The rejection counts only because it is recorded in the status. A later hand-off is a write to
// the same object, so the two cannot be seen at the same time.
func NeedsClaims(access *v1alpha2.BucketAccess) bool {
	if SidecarOwns(access) {
		return true
	}
	return access.DeletionTimestamp.IsZero() && !IsRejected(access)
}

// IsRejected reports whether the status of an access before the hand-off records that it cannot be
// granted.
func IsRejected(access *v1alpha2.BucketAccess) bool {
	return access.Status.DriverName == "" &&
		meta.IsStatusConditionFalse(access.Status.Conditions, v1alpha2.ConditionResourcesValidated)
}
