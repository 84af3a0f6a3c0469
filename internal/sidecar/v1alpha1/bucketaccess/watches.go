package bucketaccess

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/volumes"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/watched"
)

// Indexes of the cache, by which the events of other objects find accesses.
const (
	byClaim  = "cosi.accesses.by-claim"
	byClass  = "cosi.accesses.by-class"
	byBucket = "cosi.accesses.by-bucket"
	bySecret = "cosi.accesses.by-secret" //nolint:gosec // the name of an index
)

// RegisterIndexes adds the indexes that this package needs to a cache that has not
// been started.
func RegisterIndexes(ctx context.Context, indexer client.FieldIndexer) error {
	for name, values := range map[string]func(*v1alpha1.BucketAccess) []string{
		byClaim:  func(a *v1alpha1.BucketAccess) []string { return []string{a.Spec.BucketClaimName} },
		byClass:  func(a *v1alpha1.BucketAccess) []string { return []string{a.Spec.BucketAccessClassName} },
		bySecret: SecretNames,
		byBucket: func(a *v1alpha1.BucketAccess) []string {
			if found := recordOf(a); found != nil {
				return []string{found.BucketName}
			}
			return nil
		},
	} {
		if err := indexer.IndexField(ctx, &v1alpha1.BucketAccess{}, name, cosireconcile.IndexBy(values)); err != nil {
			return fmt.Errorf("index %s: %w", name, err)
		}
	}
	return nil
}

// SecretNames returns the names of the Secrets of an access.
func SecretNames(access *v1alpha1.BucketAccess) []string {
	return []string{access.Spec.CredentialsSecretName}
}

// Predicate selects the events after which a BucketAccess must be reconciled. The reconciler's own
// writes are not among them. The driver of an access depends on its class, so accesses of all
// drivers are selected.
func Predicate() predicate.TypedPredicate[*v1alpha1.BucketAccess] {
	return predicate.TypedFuncs[*v1alpha1.BucketAccess]{
		UpdateFunc: func(e event.TypedUpdateEvent[*v1alpha1.BucketAccess]) bool { return changed(e.ObjectOld, e.ObjectNew) },
	}
}

func changed(before, after *v1alpha1.BucketAccess) bool {
	return before.UID != after.UID ||
		before.Generation != after.Generation ||
		!before.DeletionTimestamp.Equal(after.DeletionTimestamp) ||
		isProtected(before) && !isProtected(after) ||
		volumes.Changed(before, after) ||
		recordOf(before) != nil && recordOf(after) == nil ||
		before.Status.AccessGranted && !after.Status.AccessGranted ||
		before.Status.AccountID != "" && before.Status.AccountID != after.Status.AccountID
}

// ClassPredicate selects the events of a class that concern accesses. The class has no generation
// that shows changes.
func ClassPredicate() predicate.TypedPredicate[*v1alpha1.BucketAccessClass] {
	return predicate.TypedFuncs[*v1alpha1.BucketAccessClass]{
		DeleteFunc: cosireconcile.Never[event.TypedDeleteEvent[*v1alpha1.BucketAccessClass]],
	}
}

// ClaimPredicate selects the events of a claim that concern accesses.
func ClaimPredicate() predicate.TypedPredicate[*v1alpha1.BucketClaim] {
	return predicate.TypedFuncs[*v1alpha1.BucketClaim]{
		UpdateFunc: func(e event.TypedUpdateEvent[*v1alpha1.BucketClaim]) bool {
			return e.ObjectOld.UID != e.ObjectNew.UID || e.ObjectOld.Status != e.ObjectNew.Status ||
				e.ObjectOld.DeletionTimestamp.IsZero() != e.ObjectNew.DeletionTimestamp.IsZero()
		},
	}
}

// BucketPredicate selects the events of a Bucket that concern accesses: it has become usable, or
// unusable, or has lost its finalizer.
func BucketPredicate() predicate.TypedPredicate[*v1alpha1.Bucket] {
	return predicate.TypedFuncs[*v1alpha1.Bucket]{
		UpdateFunc: func(e event.TypedUpdateEvent[*v1alpha1.Bucket]) bool {
			return isUsable(e.ObjectOld) != isUsable(e.ObjectNew) || isAccessed(e.ObjectOld) && !isAccessed(e.ObjectNew) ||
				e.ObjectOld.DeletionTimestamp.IsZero() != e.ObjectNew.DeletionTimestamp.IsZero()
		},
	}
}

// SecretPredicate selects the events of a Secret that concern accesses. A new Secret does not: the
// reconciler has created it itself, or will find it.
func SecretPredicate() predicate.TypedPredicate[*metav1.PartialObjectMetadata] {
	return predicate.TypedFuncs[*metav1.PartialObjectMetadata]{
		CreateFunc: cosireconcile.Never[event.TypedCreateEvent[*metav1.PartialObjectMetadata]],
	}
}

// MapClass maps a class to its accesses.
func MapClass(cache client.Reader) handler.TypedEventHandler[*v1alpha1.BucketAccessClass, reconcile.Request] {
	return handler.TypedEnqueueRequestsFromMapFunc(func(ctx context.Context, class *v1alpha1.BucketAccessClass) []reconcile.Request {
		return accesses(ctx, cache, client.MatchingFields{byClass: class.Name})
	})
}

// MapClaim maps a claim to the accesses that name it.
func MapClaim(cache client.Reader) handler.TypedEventHandler[*v1alpha1.BucketClaim, reconcile.Request] {
	return handler.TypedEnqueueRequestsFromMapFunc(func(ctx context.Context, claim *v1alpha1.BucketClaim) []reconcile.Request {
		return accesses(ctx, cache, client.InNamespace(claim.Namespace), client.MatchingFields{byClaim: claim.Name})
	})
}

// MapBucket maps a Bucket to its accesses, and to accesses of served namespaces that name its claim.
func MapBucket(cache client.Reader, namespaces watched.Namespaces) handler.TypedEventHandler[*v1alpha1.Bucket, reconcile.Request] {
	return handler.TypedEnqueueRequestsFromMapFunc(func(ctx context.Context, bucket *v1alpha1.Bucket) []reconcile.Request {
		requests := accesses(ctx, cache, client.MatchingFields{byBucket: bucket.Name})
		if ref := bucket.Spec.BucketClaim; ref != nil && ref.Name != "" && namespaces.Has(ref.Namespace) {
			requests = append(requests, accesses(ctx, cache, client.InNamespace(ref.Namespace), client.MatchingFields{byClaim: ref.Name})...)
		}
		return requests
	})
}

// MapSecret maps a Secret to the accesses that name it. Its own access must restore an edited or
// deleted Secret. An access that found the name taken may continue when it becomes free.
func MapSecret(cache client.Reader) handler.TypedEventHandler[*metav1.PartialObjectMetadata, reconcile.Request] {
	return handler.TypedEnqueueRequestsFromMapFunc(func(ctx context.Context, secret *metav1.PartialObjectMetadata) []reconcile.Request {
		return accesses(ctx, cache, client.InNamespace(secret.Namespace), client.MatchingFields{bySecret: secret.Name})
	})
}

// PendingRequests returns requests for the accesses that are not granted, or that are
// being deleted.
func PendingRequests(ctx context.Context, cache client.Reader) []reconcile.Request {
	return cosireconcile.ListRequests(ctx, cache, &v1alpha1.BucketAccessList{}, func(access *v1alpha1.BucketAccess) bool {
		return !access.Status.AccessGranted || !access.DeletionTimestamp.IsZero()
	})
}

func accesses(ctx context.Context, cache client.Reader, options ...client.ListOption) []reconcile.Request {
	return cosireconcile.ListRequests[*v1alpha1.BucketAccess](ctx, cache, &v1alpha1.BucketAccessList{}, nil, options...)
}
