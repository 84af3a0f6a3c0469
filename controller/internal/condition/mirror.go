package condition

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// Mirror takes over what a Bucket says of itself, as the KEP has it for the
// conditions of a BucketClaim.
func (s Set) Mirror(bucket *v1alpha2.Bucket) {
	s.mirrorProvisioned(bucket)
	s.mirrorValidated(bucket)
	s.MirrorProvisionFailed(bucket)
}

// MirrorProvisionFailed takes over the outcome of the driver's latest call,
// which a user cannot see at the Bucket itself.
func (s Set) MirrorProvisionFailed(bucket *v1alpha2.Bucket) {
	if theirs := meta.FindStatusCondition(bucket.Status.Conditions, v1alpha2.ConditionProvisionFailed); theirs != nil {
		s.Set(v1alpha2.ConditionProvisionFailed, theirs.Status, theirs.Reason, quote(bucket, theirs.Message))
	}
}

// mirrorProvisioned copies True and False and never Unknown. A Bucket without an
// ID has not been through the driver, whatever its conditions say.
func (s Set) mirrorProvisioned(bucket *v1alpha2.Bucket) {
	theirs := meta.FindStatusCondition(bucket.Status.Conditions, v1alpha2.ConditionProvisioned)
	switch {
	case theirs != nil && theirs.Status == metav1.ConditionTrue && bucket.Status.BucketID != "":
		s.Set(v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned,
			fmt.Sprintf("Bucket %q is provisioned", bucket.Name))
	case theirs != nil && theirs.Status == metav1.ConditionFalse:
		s.Set(v1alpha2.ConditionProvisioned, metav1.ConditionFalse, theirs.Reason, quote(bucket, theirs.Message))
	case !s.Provisioned() && !s.refusedByDriver():
		s.Set(v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonWaitingForBucket,
			fmt.Sprintf("Bucket %q is not provisioned yet", bucket.Name))
	}
}

// refusedByDriver reports whether Provisioned is False because a Bucket said so
// earlier. What the controller itself found stands in ResourcesValidated too,
// and is out of date by now.
func (s Set) refusedByDriver() bool {
	provisioned := s.get(v1alpha2.ConditionProvisioned)
	validated := s.get(v1alpha2.ConditionResourcesValidated)
	own := validated.Status == metav1.ConditionFalse &&
		validated.Reason == provisioned.Reason && validated.Message == provisioned.Message
	return provisioned.Status == metav1.ConditionFalse && !own
}

func (s Set) mirrorValidated(bucket *v1alpha2.Bucket) {
	theirs := meta.FindStatusCondition(bucket.Status.Conditions, v1alpha2.ConditionResourcesValidated)
	switch {
	case theirs != nil && theirs.Status == metav1.ConditionFalse:
		s.Set(v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, theirs.Reason, quote(bucket, theirs.Message))
	case !bucket.DeletionTimestamp.IsZero():
		s.Set(v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketDeleting,
			fmt.Sprintf("Bucket %q is being deleted", bucket.Name))
	default:
		s.Set(v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated,
			fmt.Sprintf("bound to Bucket %q", bucket.Name))
	}
}

func quote(bucket *v1alpha2.Bucket, message string) string {
	return fmt.Sprintf("Bucket %q: %s", bucket.Name, message)
}
