package bucketaccess

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/sidecar/driver"
	"github.com/cosi-emu/cosi-emu/sidecar/internal/condition"
	"github.com/cosi-emu/cosi-emu/sidecar/internal/finding"
)

// ownedBy reports whether an access is in the hands of the driver's sidecar: the
// controller has handed it over, and the sidecar has not yet handed it back.
func ownedBy(access *v1alpha2.BucketAccess, d *driver.Driver) bool {
	return access.Status.DriverName == d.Name() && !isCleanedUp(access)
}

func isCleanedUp(access *v1alpha2.BucketAccess) bool {
	_, finished := access.Annotations[v1alpha2.SidecarCleanupFinishedAnnotation]
	return finished && !access.DeletionTimestamp.IsZero()
}

// conclude brings conditions and readyToUse in line with what has been found,
// which may be nothing.
func conclude(access *v1alpha2.BucketAccess, found *finding.Error) {
	conditions := condition.Of(&access.Status.Conditions, access.Generation)
	switch {
	case found != nil:
		conditions.Record(found)
	case provisioned(access) && access.DeletionTimestamp.IsZero():
		conditions.Validate()
	}
	access.Status.ReadyToUse = ready(access)
}

// ready is what status.readyToUse ought to be, whatever somebody has written
// there.
func ready(access *v1alpha2.BucketAccess) bool {
	return provisioned(access) && access.DeletionTimestamp.IsZero()
}

// provisioned reports whether the backend has the account, so far as the status
// can tell. A condition alone proves nothing: without its ID the account cannot
// be found.
func provisioned(access *v1alpha2.BucketAccess) bool {
	return access.Status.AccountID != "" && meta.IsStatusConditionTrue(access.Status.Conditions, v1alpha2.ConditionProvisioned)
}

// distrust takes back a Provisioned that is True without an ID: somebody else
// has written it, and it must not come true by an ID that is added later.
func distrust(access *v1alpha2.BucketAccess) {
	if access.Status.AccountID == "" && meta.IsStatusConditionTrue(access.Status.Conditions, v1alpha2.ConditionProvisioned) {
		condition.Of(&access.Status.Conditions, access.Generation).Doubt()
	}
}

func conditionsOf(access *v1alpha2.BucketAccess) []metav1.Condition { return access.Status.Conditions }
