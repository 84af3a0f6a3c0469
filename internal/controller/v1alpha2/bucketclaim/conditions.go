package bucketclaim

import (
	"cmp"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
)

func syncConditions(ours condition.Set, bucket *v1alpha2.Bucket) {
	syncProvisioned(ours, bucket)
	syncValidated(ours, bucket)
	syncProvisionFailed(ours, bucket)
}

// syncProvisioned copies True and False, but never Unknown. The driver has not provisioned a Bucket
// without an ID, so its conditions are ignored.
func syncProvisioned(ours condition.Set, bucket *v1alpha2.Bucket) {
	theirs := meta.FindStatusCondition(bucket.Status.Conditions, v1alpha2.ConditionProvisioned)
	switch {
	case theirs != nil && theirs.Status == metav1.ConditionTrue && bucket.Status.BucketID != "":
		ours.Set(v1alpha2.ConditionProvisioned, metav1.ConditionTrue, v1alpha2.ReasonProvisioned,
			fmt.Sprintf("Bucket %q is provisioned", bucket.Name))
	case theirs != nil && theirs.Status == metav1.ConditionFalse:
		ours.Set(v1alpha2.ConditionProvisioned, metav1.ConditionFalse, theirs.Reason, quoteCondition(bucket, theirs))
	case !ours.IsProvisioned() && !failedByDriver(ours):
		ours.Set(v1alpha2.ConditionProvisioned, metav1.ConditionUnknown, v1alpha2.ReasonWaitingForBucket,
			fmt.Sprintf("Bucket %q is not provisioned yet", bucket.Name))
	}
}

// failedByDriver reports whether Provisioned is False because of an earlier condition of a Bucket.
// Findings of the controller are in ResourcesValidated too, and outdated now.
func failedByDriver(ours condition.Set) bool {
	provisioned := ours.Get(v1alpha2.ConditionProvisioned)
	validated := ours.Get(v1alpha2.ConditionResourcesValidated)
	own := validated.Status == metav1.ConditionFalse &&
		validated.Reason == provisioned.Reason && validated.Message == provisioned.Message
	return provisioned.Status == metav1.ConditionFalse && !own
}

func syncValidated(ours condition.Set, bucket *v1alpha2.Bucket) {
	theirs := meta.FindStatusCondition(bucket.Status.Conditions, v1alpha2.ConditionResourcesValidated)
	switch {
	case !bucket.DeletionTimestamp.IsZero():
		ours.Set(v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketDeleting,
			fmt.Sprintf("Bucket %q is being deleted", bucket.Name))
	case v1alpha2.IsBucketClaimBeingDeleted(bucket):
		ours.Set(v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, v1alpha2.ReasonBucketDeleting,
			fmt.Sprintf("Bucket %q has the annotation %s, although this claim is not being deleted: remove the annotation",
				bucket.Name, v1alpha2.BucketClaimBeingDeletedAnnotation))
	case theirs != nil && theirs.Status == metav1.ConditionFalse:
		ours.Set(v1alpha2.ConditionResourcesValidated, metav1.ConditionFalse, theirs.Reason, quoteCondition(bucket, theirs))
	default:
		ours.Set(v1alpha2.ConditionResourcesValidated, metav1.ConditionTrue, v1alpha2.ReasonValidated,
			fmt.Sprintf("bound to Bucket %q", bucket.Name))
	}
}

// syncProvisionFailed copies the outcome of the driver's latest call, because users cannot read the
// Bucket. Unknown is not copied: it is the initial value of a claim, and the copy would be a
// needless write between the binding and the provisioning of every Bucket.
func syncProvisionFailed(ours condition.Set, bucket *v1alpha2.Bucket) {
	theirs := meta.FindStatusCondition(bucket.Status.Conditions, v1alpha2.ConditionProvisionFailed)
	switch {
	case theirs == nil:
	case theirs.Status == metav1.ConditionUnknown:
		ours.Reset(v1alpha2.ConditionProvisionFailed)
	default:
		ours.Set(v1alpha2.ConditionProvisionFailed, theirs.Status, theirs.Reason, quoteCondition(bucket, theirs))
	}
}

func quoteCondition(bucket *v1alpha2.Bucket, theirs *metav1.Condition) string {
	return fmt.Sprintf("Bucket %q: %s", bucket.Name, cmp.Or(theirs.Message, theirs.Reason))
}
