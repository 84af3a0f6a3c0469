package metrics

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/watched"
)

// V1alpha2 has the operations on the kinds of v1alpha2.
func V1alpha2(cache client.Reader, namespaces watched.Namespaces) []*watcher { //nolint:revive // only WatchOperations uses the result
	return []*watcher{
		watch("BucketClaim", &v1alpha2.BucketClaim{},
			func(c *v1alpha2.BucketClaim) bool { return isProvisioned(c.Status.Conditions) },
			func(c *v1alpha2.BucketClaim) string { return driverOfClaim(cache, c) }),
		limit(watchBuckets(), func(b *v1alpha2.Bucket) bool { return namespaces.Has(b.Spec.BucketClaimRef.Namespace) }),
		watch("BucketAccess", &v1alpha2.BucketAccess{},
			func(a *v1alpha2.BucketAccess) bool { return isProvisioned(a.Status.Conditions) },
			func(a *v1alpha2.BucketAccess) string { return a.Status.DriverName }),
	}
}

func watchBuckets() *watcher {
	return watch(kindBucket, &v1alpha2.Bucket{},
		func(b *v1alpha2.Bucket) bool { return isProvisioned(b.Status.Conditions) },
		func(b *v1alpha2.Bucket) string { return b.Spec.DriverName })
}

func isProvisioned(conditions []metav1.Condition) bool {
	return meta.IsStatusConditionTrue(conditions, v1alpha2.ConditionProvisioned)
}

// driverOfClaim returns the driver of the claim's Bucket, or of its class if there
// is no Bucket.
func driverOfClaim(cache client.Reader, claim *v1alpha2.BucketClaim) string {
	bucket, class := &v1alpha2.Bucket{}, &v1alpha2.BucketClass{}
	switch {
	case lookup(cache, claim.Status.BoundBucketName, bucket):
		return bucket.Spec.DriverName
	case lookup(cache, claim.Spec.BucketClassName, class):
		return class.Spec.DriverName
	default:
		return ""
	}
}
