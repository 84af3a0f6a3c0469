package metrics

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// lookupTimeout bounds a read from the cache, which waits only at the start.
const lookupTimeout = 10 * time.Second

func watchBuckets() *watcher {
	return watch("Bucket", &v1alpha2.Bucket{},
		func(b *v1alpha2.Bucket) []metav1.Condition { return b.Status.Conditions },
		func(b *v1alpha2.Bucket) string { return b.Spec.DriverName })
}

func watchAccesses() *watcher {
	return watch("BucketAccess", &v1alpha2.BucketAccess{},
		func(a *v1alpha2.BucketAccess) []metav1.Condition { return a.Status.Conditions },
		func(a *v1alpha2.BucketAccess) string { return a.Status.DriverName })
}

func watchClaims(objects client.Reader) *watcher {
	return watch("BucketClaim", &v1alpha2.BucketClaim{},
		func(c *v1alpha2.BucketClaim) []metav1.Condition { return c.Status.Conditions },
		func(c *v1alpha2.BucketClaim) string { return driverOfClaim(objects, c) })
}

// driverOfClaim returns the driver of the claim's Bucket, or of its class if there
// is no Bucket.
func driverOfClaim(objects client.Reader, claim *v1alpha2.BucketClaim) string {
	ctx, cancel := context.WithTimeout(context.Background(), lookupTimeout)
	defer cancel()
	bucket, class := &v1alpha2.Bucket{}, &v1alpha2.BucketClass{}
	bucketName, className := claim.Status.BoundBucketName, claim.Spec.BucketClassName
	if bucketName != "" && objects.Get(ctx, client.ObjectKey{Name: bucketName}, bucket) == nil {
		return bucket.Spec.DriverName
	}
	if className != "" && objects.Get(ctx, client.ObjectKey{Name: className}, class) == nil {
		return class.Spec.DriverName
	}
	return ""
}

func watch[T client.Object](
	kind string, example T, conditions func(T) []metav1.Condition, driver func(T) string,
) *watcher {
	return &watcher{
		kind:     kind,
		example:  example,
		deleting: map[types.UID]string{},
		ready: func(object client.Object) bool {
			typed, ok := object.(T)
			return ok && meta.IsStatusConditionTrue(conditions(typed), v1alpha2.ConditionProvisioned)
		},
		driver: func(object client.Object) string {
			if typed, ok := object.(T); ok {
				return driver(typed)
			}
			return ""
		},
	}
}
