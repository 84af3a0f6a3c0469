package bucket

import (
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/watched"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha2/driver"
)

// statusOf returns the part of a Bucket's status that the runner maintains. The bucket of a claim
// that is being deleted must not be used any more.
func statusOf(bucket *v1alpha2.Bucket) condition.Status {
	return condition.Status{
		Conditions:  &bucket.Status.Conditions,
		ReadyToUse:  &bucket.Status.ReadyToUse,
		Generation:  bucket.Generation,
		Incomplete:  bucket.Status.BucketID == "" || len(bucket.Status.Protocols) == 0,
		Deleting:    !bucket.DeletionTimestamp.IsZero(),
		Unwanted:    v1alpha2.IsBucketClaimBeingDeleted(bucket),
		CallsDriver: true,
	}
}

func runnerStatus(bucket *v1alpha2.Bucket) cosireconcile.Status { return statusOf(bucket) }

// isStatic reports whether the Bucket represents a bucket that exists without COSI.
func isStatic(bucket *v1alpha2.Bucket) bool { return bucket.Spec.ExistingBucketID != "" }

// Served are the Buckets that a sidecar serves. It leaves all others alone, because it does not see their claims and
// accesses.
type Served struct {
	Driver *driver.Driver
	// Namespaces have the claims.
	Namespaces watched.Namespaces
}

func (s Served) has(bucket *v1alpha2.Bucket) bool {
	return bucket.Spec.DriverName == s.Driver.Name() && s.Namespaces.Has(bucket.Spec.BucketClaimRef.Namespace)
}

func claimOf(bucket *v1alpha2.Bucket) string {
	return bucket.Spec.BucketClaimRef.Namespace + "/" + bucket.Spec.BucketClaimRef.Name
}
