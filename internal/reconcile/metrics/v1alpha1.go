package metrics

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/watched"
)

// V1alpha1 has the operations on the kinds of v1alpha1.
func V1alpha1(cache client.Reader, namespaces watched.Namespaces) []*watcher { //nolint:revive // only WatchOperations uses the result
	return []*watcher{
		watch("BucketClaim", &v1alpha1.BucketClaim{},
			func(c *v1alpha1.BucketClaim) bool { return c.Status.BucketReady },
			func(c *v1alpha1.BucketClaim) string { return driverOfClaimV1alpha1(cache, c) }),
		limit(watch(kindBucket, &v1alpha1.Bucket{},
			func(b *v1alpha1.Bucket) bool { return b.Status.BucketReady },
			func(b *v1alpha1.Bucket) string { return b.Spec.DriverName }),
			func(b *v1alpha1.Bucket) bool { return namespaces.HasClaim(b.Spec.BucketClaim) }),
		watch("BucketAccess", &v1alpha1.BucketAccess{},
			func(a *v1alpha1.BucketAccess) bool { return a.Status.AccessGranted },
			func(a *v1alpha1.BucketAccess) string { return driverOfAccessV1alpha1(cache, a) }),
	}
}

func driverOfClaimV1alpha1(cache client.Reader, claim *v1alpha1.BucketClaim) string {
	bucket, class := &v1alpha1.Bucket{}, &v1alpha1.BucketClass{}
	switch {
	case lookup(cache, claim.Status.BucketName, bucket):
		return bucket.Spec.DriverName
	case lookup(cache, claim.Spec.BucketClassName, class):
		return class.DriverName
	default:
		return ""
	}
}

// driverOfAccessV1alpha1 returns the driver of the access's class, because the status of an access
// does not contain it.
func driverOfAccessV1alpha1(cache client.Reader, access *v1alpha1.BucketAccess) string {
	class := &v1alpha1.BucketAccessClass{}
	if !lookup(cache, access.Spec.BucketAccessClassName, class) {
		return ""
	}
	return class.DriverName
}
