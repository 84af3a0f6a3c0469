package bucket

import (
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/driver"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/statuspatch"
)

// statusOf says what a Bucket's status consists of. The bucket of a claim that
// is being deleted is not to be used any more.
func statusOf(bucket *v1alpha2.Bucket) statuspatch.Status {
	return statuspatch.Status{
		ID:         &bucket.Status.BucketID,
		Incomplete: len(bucket.Status.Protocols) == 0,
		Conditions: &bucket.Status.Conditions,
		ReadyToUse: &bucket.Status.ReadyToUse,
		Generation: bucket.Generation,
		Deleting:   !bucket.DeletionTimestamp.IsZero(),
		Unwanted:   v1alpha2.IsBucketClaimBeingDeleted(bucket),
		LetGo:      isGone(bucket),
	}
}

func provisioned(bucket *v1alpha2.Bucket) bool { return statusOf(bucket).Provisioned() }

// isGone reports whether nothing of ours holds a deleting Bucket any more, so
// that it may have vanished.
func isGone(bucket *v1alpha2.Bucket) bool {
	return !bucket.DeletionTimestamp.IsZero() && !controllerutil.ContainsFinalizer(bucket, v1alpha2.ProtectionFinalizer)
}

func isStatic(bucket *v1alpha2.Bucket) bool { return bucket.Spec.ExistingBucketID != "" }

func ownedBy(bucket *v1alpha2.Bucket, d *driver.Driver) bool {
	return bucket.Spec.DriverName == d.Name()
}

func claimOf(bucket *v1alpha2.Bucket) string {
	return bucket.Spec.BucketClaimRef.Namespace + "/" + bucket.Spec.BucketClaimRef.Name
}
