// Package volumes keeps the sidecars of both versions from revoking a BucketAccess that Pods use in volumes of a node
// adapter.
package volumes

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// maxListed limits the Pods in a message.
const maxListed = 10

// CheckUnused returns a *reasons.Error while Pods use an access that is being deleted.
//
// An access as the cache has it is enough: the node adapter removes an annotation again that it wrote after the
// deletion, so that a version of the access with its deletion has all annotations that count.
func CheckUnused(access metav1.Object) error {
	pods := v1alpha2.PodsWithVolumes(access)
	if len(pods) == 0 {
		return nil
	}
	return reasons.Blocked(v1alpha2.ReasonDeletionBlocked,
		"waiting for the end of Pods that use the access in volumes, before it is revoked: %s", list(pods))
}

// Changed reports whether other Pods use an access, or whether no Pod uses it any more.
func Changed(before, after metav1.Object) bool {
	return !slices.Equal(v1alpha2.PodsWithVolumes(before), v1alpha2.PodsWithVolumes(after))
}

// SetCondition maintains the condition InUse. An access that never had a volume has no such condition.
func SetCondition(conditions *[]metav1.Condition, access metav1.Object) {
	used := metav1.Condition{
		Type: v1alpha2.ConditionInUse, Status: metav1.ConditionFalse, Reason: v1alpha2.ReasonNoVolume,
		Message: "no Pod uses the access in a volume any more", ObservedGeneration: access.GetGeneration(),
	}
	if pods := v1alpha2.PodsWithVolumes(access); len(pods) > 0 {
		used.Status, used.Reason = metav1.ConditionTrue, v1alpha2.ReasonVolumePublished
		used.Message = "Pods use the access in volumes: " + list(pods)
	} else if meta.FindStatusCondition(*conditions, v1alpha2.ConditionInUse) == nil {
		return
	}
	meta.SetStatusCondition(conditions, used)
}

func list(pods []string) string {
	if more := len(pods) - maxListed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(pods[:maxListed], ", "), more)
	}
	return strings.Join(pods, ", ")
}
