package bucket

import (
	"cmp"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
)

// reportFailure records an Event in the namespace of the claim if the driver fails to delete the
// bucket. The KEP requires it ("Monitoring Requirements"): users cannot read the Bucket, and the
// claim does not exist any more. A Bucket that keeps failing in the same way is reported once.
func (r *Reconciler) reportFailure(bucket *v1alpha2.Bucket) {
	failed := meta.FindStatusCondition(bucket.Status.Conditions, v1alpha2.ConditionProvisionFailed)
	if bucket.DeletionTimestamp.IsZero() || failed == nil || failed.Status != metav1.ConditionTrue || precedesDeletion(failed, bucket) {
		r.reported.Remove(bucket.UID)
		return
	}
	note := fmt.Sprintf("%s: Bucket %q: %s", failed.Reason, bucket.Name, cmp.Or(failed.Message, failed.Reason))
	if before, ok := r.reported.Get(bucket.UID); ok && before == note {
		return
	}
	r.reported.Add(bucket.UID, note)
	ref := bucket.Spec.BucketClaimRef
	claim := &v1alpha2.BucketClaim{ObjectMeta: metav1.ObjectMeta{Namespace: ref.Namespace, Name: ref.Name, UID: ref.UID}}
	r.Recorder.Eventf(claim, nil, corev1.EventTypeWarning, v1alpha2.ReasonFailedDeleteBucket, string(cosievents.Deprovision),
		"%s", condition.Clip(note))
}

// precedesDeletion reports whether a condition is about an earlier generation of a Bucket that is being deleted, such as the
// failure to create its bucket: the API server counts a deletion as a generation.
func precedesDeletion(c *metav1.Condition, bucket *v1alpha2.Bucket) bool {
	return c.ObservedGeneration != 0 && c.ObservedGeneration < bucket.Generation
}
