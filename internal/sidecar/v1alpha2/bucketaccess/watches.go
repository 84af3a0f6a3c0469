package bucketaccess

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/volumes"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/v1alpha2/driver"
)

// Predicate selects the events after which a BucketAccess of the driver must be reconciled. The
// reconciler's own writes of the status are not among them.
func Predicate(d *driver.Driver) predicate.TypedPredicate[*v1alpha2.BucketAccess] {
	return predicate.TypedFuncs[*v1alpha2.BucketAccess]{
		CreateFunc: func(e event.TypedCreateEvent[*v1alpha2.BucketAccess]) bool { return ownedBy(e.Object, d) },
		// The reconciler forgets the vanished access.
		DeleteFunc: func(e event.TypedDeleteEvent[*v1alpha2.BucketAccess]) bool {
			return e.Object.Status.DriverName == d.Name()
		},
		UpdateFunc: func(e event.TypedUpdateEvent[*v1alpha2.BucketAccess]) bool {
			return ownedBy(e.ObjectNew, d) && (changed(e.ObjectOld, e.ObjectNew) || !statusOf(e.ObjectNew).IsConsistent())
		},
	}
}

// changed reports whether another writer has changed an input of the reconciler
// since its last reconcile.
func changed(before, after *v1alpha2.BucketAccess) bool {
	return before.UID != after.UID ||
		before.Generation != after.Generation ||
		!before.DeletionTimestamp.Equal(after.DeletionTimestamp) ||
		handOffChanged(&before.Status, &after.Status) ||
		cleanupFinished(before) != cleanupFinished(after) ||
		volumes.Changed(before, after) ||
		condition.ClaimMissing(before.Status.Conditions) != condition.ClaimMissing(after.Status.Conditions) ||
		cosireconcile.LostFinalizer(before, after) ||
		statusOf(after).RegressedFrom(statusOf(before))
}

func handOffChanged(before, after *v1alpha2.BucketAccessStatus) bool {
	return before.DriverName != after.DriverName ||
		before.AuthenticationType != after.AuthenticationType ||
		!equality.Semantic.DeepEqual(before.AccessedBuckets, after.AccessedBuckets) ||
		!equality.Semantic.DeepEqual(before.Parameters, after.Parameters)
}

func cleanupFinished(access *v1alpha2.BucketAccess) bool {
	return metav1.HasAnnotation(access.ObjectMeta, v1alpha2.SidecarCleanupFinishedAnnotation)
}

// Indexes of the cache, by which the events of other objects find accesses.
const (
	byBucket = "cosi.accesses.by-bucket"
	bySecret = "cosi.accesses.by-secret" //nolint:gosec // the name of an index
)

// RegisterIndexes adds the indexes that this package needs to a cache that has not
// been started.
func RegisterIndexes(ctx context.Context, indexer client.FieldIndexer) error {
	for name, values := range map[string]func(*v1alpha2.BucketAccess) []string{byBucket: bucketNames, bySecret: SecretNames} {
		err := indexer.IndexField(ctx, &v1alpha2.BucketAccess{}, name, cosireconcile.IndexBy(values))
		if err != nil {
			return fmt.Errorf("index %s: %w", name, err)
		}
	}
	return byID.AddTo(ctx, indexer)
}

func bucketNames(access *v1alpha2.BucketAccess) []string {
	names := make([]string, 0, len(access.Status.AccessedBuckets))
	for _, accessed := range access.Status.AccessedBuckets {
		names = append(names, accessed.BucketName)
	}
	return names
}

// SecretNames returns the names of the Secrets of an access.
func SecretNames(access *v1alpha2.BucketAccess) []string {
	names := make([]string, 0, len(access.Spec.BucketClaims))
	for i := range access.Spec.BucketClaims {
		names = append(names, access.Spec.BucketClaims[i].AccessSecretName)
	}
	return names
}

// BucketPredicate selects the events of a Bucket that concern accesses: it has become usable, or
// unusable.
func BucketPredicate() predicate.TypedPredicate[*v1alpha2.Bucket] {
	return predicate.TypedFuncs[*v1alpha2.Bucket]{
		UpdateFunc: func(e event.TypedUpdateEvent[*v1alpha2.Bucket]) bool {
			return isUsable(e.ObjectOld) != isUsable(e.ObjectNew) ||
				e.ObjectOld.DeletionTimestamp.IsZero() != e.ObjectNew.DeletionTimestamp.IsZero() ||
				v1alpha2.IsBucketClaimBeingDeleted(e.ObjectOld) != v1alpha2.IsBucketClaimBeingDeleted(e.ObjectNew)
		},
	}
}

// MapBucket maps a Bucket to the accesses to it.
func MapBucket(cache client.Reader, d *driver.Driver) handler.TypedEventHandler[*v1alpha2.Bucket, reconcile.Request] {
	return handler.TypedEnqueueRequestsFromMapFunc(func(ctx context.Context, bucket *v1alpha2.Bucket) []reconcile.Request {
		return accesses(ctx, cache, d, client.MatchingFields{byBucket: bucket.Name})
	})
}

// SecretPredicate selects the events of a Secret that concern accesses. A new Secret does not: the
// reconciler has created it itself, or will find it. If it triggered the access, a driver that has
// just rejected the access would be asked again.
func SecretPredicate() predicate.TypedPredicate[*metav1.PartialObjectMetadata] {
	return predicate.TypedFuncs[*metav1.PartialObjectMetadata]{
		CreateFunc: func(event.TypedCreateEvent[*metav1.PartialObjectMetadata]) bool { return false },
	}
}

// MapSecret maps a Secret to the accesses that name it. Its own access must restore an edited or
// deleted Secret. An access that found the name taken may continue when it becomes free.
func MapSecret(
	cache client.Reader, d *driver.Driver,
) handler.TypedEventHandler[*metav1.PartialObjectMetadata, reconcile.Request] {
	return handler.TypedEnqueueRequestsFromMapFunc(func(ctx context.Context, secret *metav1.PartialObjectMetadata) []reconcile.Request {
		return accesses(ctx, cache, d, client.InNamespace(secret.Namespace), client.MatchingFields{bySecret: secret.Name})
	})
}

// PendingRequests returns requests for the driver's accesses that are not provisioned, that are
// being deleted, or whose latest Grant has failed.
func PendingRequests(ctx context.Context, cache client.Reader, d *driver.Driver) []reconcile.Request {
	return list(ctx, cache, func(access *v1alpha2.BucketAccess) bool {
		return ownedBy(access, d) && (!statusOf(access).IsProvisioned() || !access.DeletionTimestamp.IsZero() ||
			meta.IsStatusConditionTrue(access.Status.Conditions, v1alpha2.ConditionProvisionFailed))
	})
}

func accesses(ctx context.Context, cache client.Reader, d *driver.Driver, options ...client.ListOption) []reconcile.Request {
	return list(ctx, cache, func(access *v1alpha2.BucketAccess) bool { return ownedBy(access, d) }, options...)
}

func list(
	ctx context.Context, cache client.Reader, selected func(*v1alpha2.BucketAccess) bool, options ...client.ListOption,
) []reconcile.Request {
	return cosireconcile.ListRequests(ctx, cache, &v1alpha2.BucketAccessList{}, selected, options...)
}
