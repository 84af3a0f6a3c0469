package bucketaccess

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/driver"
)

// Indexes of the cache, by which other objects find the accesses that they wake.
const (
	byBucket = "cosi.accesses.by-bucket"
	bySecret = "cosi.accesses.by-secret" //nolint:gosec // the name of an index
)

// RegisterIndexes adds the indexes that this package needs to a cache that has not
// been started.
func RegisterIndexes(ctx context.Context, indexer client.FieldIndexer) error {
	for name, values := range map[string]func(*v1alpha2.BucketAccess) []string{byBucket: bucketNames, bySecret: secretNames} {
		err := indexer.IndexField(ctx, &v1alpha2.BucketAccess{}, name, func(o client.Object) []string {
			access, ok := o.(*v1alpha2.BucketAccess)
			if !ok {
				return nil
			}
			return values(access)
		})
		if err != nil {
			return fmt.Errorf("index %s: %w", name, err)
		}
	}
	return registered.Index(ctx, indexer)
}

func bucketNames(access *v1alpha2.BucketAccess) []string {
	names := make([]string, 0, len(access.Status.AccessedBuckets))
	for _, accessed := range access.Status.AccessedBuckets {
		names = append(names, accessed.BucketName)
	}
	return names
}

func secretNames(access *v1alpha2.BucketAccess) []string {
	names := make([]string, 0, len(access.Spec.BucketClaims))
	for i := range access.Spec.BucketClaims {
		names = append(names, access.Spec.BucketClaims[i].AccessSecretName)
	}
	return names
}

// BucketWakes lets through the events of a Bucket that can matter to an access:
// it has become usable, or stopped to be.
func BucketWakes() predicate.TypedPredicate[*v1alpha2.Bucket] {
	return predicate.TypedFuncs[*v1alpha2.Bucket]{
		UpdateFunc: func(e event.TypedUpdateEvent[*v1alpha2.Bucket]) bool {
			return usable(e.ObjectOld) != usable(e.ObjectNew) ||
				e.ObjectOld.DeletionTimestamp.IsZero() != e.ObjectNew.DeletionTimestamp.IsZero() ||
				v1alpha2.IsBucketClaimBeingDeleted(e.ObjectOld) != v1alpha2.IsBucketClaimBeingDeleted(e.ObjectNew)
		},
	}
}

// OfBucket wakes the accesses to a Bucket.
func OfBucket(cache client.Reader, d *driver.Driver) handler.TypedEventHandler[*v1alpha2.Bucket, reconcile.Request] {
	return handler.TypedEnqueueRequestsFromMapFunc(func(ctx context.Context, bucket *v1alpha2.Bucket) []reconcile.Request {
		return accesses(ctx, cache, d, client.MatchingFields{byBucket: bucket.Name})
	})
}

// SecretWakes lets through the events of a Secret that can matter to an access. A
// Secret that appears does not: the reconciler has made it itself, or will come
// across it. Were it to wake the access, a driver that has just refused the access
// for good would be asked again.
func SecretWakes() predicate.TypedPredicate[*metav1.PartialObjectMetadata] {
	return predicate.TypedFuncs[*metav1.PartialObjectMetadata]{
		CreateFunc: func(event.TypedCreateEvent[*metav1.PartialObjectMetadata]) bool { return false },
	}
}

// OfSecret wakes the accesses that name a Secret: its own access has to restore
// it when it is edited or deleted, and one that found the name taken may go on
// when it becomes free.
func OfSecret(
	cache client.Reader, d *driver.Driver,
) handler.TypedEventHandler[*metav1.PartialObjectMetadata, reconcile.Request] {
	return handler.TypedEnqueueRequestsFromMapFunc(func(ctx context.Context, secret *metav1.PartialObjectMetadata) []reconcile.Request {
		return accesses(ctx, cache, d, client.InNamespace(secret.Namespace), client.MatchingFields{bySecret: secret.Name})
	})
}

// Unsettled returns requests for the driver's accesses that are not where they
// should be: not provisioned, being deleted, or not granted once more when that
// was needed.
func Unsettled(ctx context.Context, cache client.Reader, d *driver.Driver) []reconcile.Request {
	return requests(ctx, cache, func(access *v1alpha2.BucketAccess) bool {
		return ownedBy(access, d) && (!provisioned(access) || !access.DeletionTimestamp.IsZero() ||
			meta.IsStatusConditionTrue(access.Status.Conditions, v1alpha2.ConditionProvisionFailed))
	})
}

func accesses(ctx context.Context, cache client.Reader, d *driver.Driver, options ...client.ListOption) []reconcile.Request {
	return requests(ctx, cache, func(access *v1alpha2.BucketAccess) bool { return ownedBy(access, d) }, options...)
}

func requests(
	ctx context.Context, cache client.Reader, wanted func(*v1alpha2.BucketAccess) bool, options ...client.ListOption,
) []reconcile.Request {
	found := &v1alpha2.BucketAccessList{}
	if err := cache.List(ctx, found, append(options, client.UnsafeDisableDeepCopy)...); err != nil {
		log.FromContext(ctx).Error(err, "BucketAccesses could not be listed from the cache")
		return nil
	}
	var result []reconcile.Request
	for i := range found.Items {
		if wanted(&found.Items[i]) {
			result = append(result, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&found.Items[i])})
		}
	}
	return result
}
