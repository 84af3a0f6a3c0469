package bucket

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/sidecar/driver"
	"github.com/cosi-emu/cosi-emu/sidecar/internal/condition"
	"github.com/cosi-emu/cosi-emu/sidecar/internal/finding"
)

// conclude brings conditions and readyToUse in line with what has been found,
// which may be nothing.
func conclude(bucket *v1alpha2.Bucket, found *finding.Error) {
	conditions := condition.Of(&bucket.Status.Conditions, bucket.Generation)
	switch {
	case found != nil:
		conditions.Record(found)
	case provisioned(bucket) && bucket.DeletionTimestamp.IsZero():
		conditions.Validate()
	}
	bucket.Status.ReadyToUse = ready(bucket)
}

// ready is what status.readyToUse ought to be, whatever somebody has written
// there.
func ready(bucket *v1alpha2.Bucket) bool {
	return provisioned(bucket) && bucket.DeletionTimestamp.IsZero() && !v1alpha2.IsBucketClaimBeingDeleted(bucket)
}

// provisioned reports whether the backend has the bucket, so far as the status
// can tell. A condition alone proves nothing: without its ID the bucket cannot
// be found.
func provisioned(bucket *v1alpha2.Bucket) bool {
	return bucket.Status.BucketID != "" && meta.IsStatusConditionTrue(bucket.Status.Conditions, v1alpha2.ConditionProvisioned)
}

// distrust takes back a Provisioned that is True without an ID: somebody else
// has written it, and it must not come true by an ID that is added later.
func distrust(bucket *v1alpha2.Bucket) {
	if bucket.Status.BucketID == "" && meta.IsStatusConditionTrue(bucket.Status.Conditions, v1alpha2.ConditionProvisioned) {
		condition.Of(&bucket.Status.Conditions, bucket.Generation).Doubt()
	}
}

// isGone reports whether nothing of ours holds a deleting Bucket any more, so
// that it may have vanished.
func isGone(bucket *v1alpha2.Bucket) bool {
	return !bucket.DeletionTimestamp.IsZero() && !controllerutil.ContainsFinalizer(bucket, v1alpha2.ProtectionFinalizer)
}

func isStatic(bucket *v1alpha2.Bucket) bool { return bucket.Spec.ExistingBucketID != "" }

func ownedBy(bucket *v1alpha2.Bucket, d *driver.Driver) bool {
	return bucket.Spec.DriverName == d.Name()
}

func conditionsOf(bucket *v1alpha2.Bucket) []metav1.Condition { return bucket.Status.Conditions }

func claimOf(bucket *v1alpha2.Bucket) string {
	return bucket.Spec.BucketClaimRef.Namespace + "/" + bucket.Spec.BucketClaimRef.Name
}
