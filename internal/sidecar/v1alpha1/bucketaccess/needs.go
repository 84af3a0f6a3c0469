package bucketaccess

import (
	"context"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/watched"
)

// IsNeeded reports whether, by the cache, a BucketAccess needs the Bucket to stay.
func IsNeeded(ctx context.Context, cache client.Reader, bucket *v1alpha1.Bucket) (bool, error) {
	needed, err := isAnyInNeed(ctx, cache, bucket, client.MatchingFields{byBucket: bucket.Name})
	if ref := bucket.Spec.BucketClaim; err == nil && !needed && ref != nil {
		return isAnyInNeed(ctx, cache, bucket, client.InNamespace(ref.Namespace), client.MatchingFields{byClaim: ref.Name})
	}
	return needed, err
}

// IsNeededLive is IsNeeded by the API server, which lists all accesses of the namespaces.
func IsNeededLive(
	ctx context.Context, live client.Reader, namespaces watched.Namespaces, bucket *v1alpha1.Bucket,
) (bool, error) {
	for _, namespace := range namespaces.Lists() {
		if needed, err := isAnyInNeed(ctx, live, bucket, namespace); err != nil || needed {
			return needed, err
		}
	}
	return false, nil
}

func isAnyInNeed(ctx context.Context, from client.Reader, bucket *v1alpha1.Bucket, options ...client.ListOption) (bool, error) {
	list := &v1alpha1.BucketAccessList{}
	if err := from.List(ctx, list, options...); err != nil {
		return false, fmt.Errorf("list the BucketAccesses to Bucket %s: %w", bucket.Name, err)
	}
	return slices.ContainsFunc(list.Items, func(access v1alpha1.BucketAccess) bool { return needs(&access, bucket) }), nil
}

// needs reports whether an access needs a Bucket to stay. A deleting access without the finalizer
// has been released.
func needs(access *v1alpha1.BucketAccess, bucket *v1alpha1.Bucket) bool {
	found := recordOf(access)
	switch {
	case isReleased(access):
		return false
	case found != nil:
		return found.BucketName == bucket.Name
	default: // upstream's sidecar writes no record
		return isProtected(access) && isBoundTo(bucket, access)
	}
}

func isReleased(access *v1alpha1.BucketAccess) bool {
	return !access.DeletionTimestamp.IsZero() && !isProtected(access)
}

// EndPredicate selects the events after which an access no longer needs its Bucket.
func EndPredicate() predicate.TypedPredicate[*v1alpha1.BucketAccess] {
	return predicate.TypedFuncs[*v1alpha1.BucketAccess]{
		CreateFunc: cosireconcile.Never[event.TypedCreateEvent[*v1alpha1.BucketAccess]],
		UpdateFunc: func(e event.TypedUpdateEvent[*v1alpha1.BucketAccess]) bool {
			return isReleased(e.ObjectNew) && !isReleased(e.ObjectOld)
		},
	}
}

// MapAccess maps an access to the Bucket that may be kept for it.
func MapAccess(cache client.Reader) handler.TypedEventHandler[*v1alpha1.BucketAccess, reconcile.Request] {
	return handler.TypedEnqueueRequestsFromMapFunc(func(ctx context.Context, access *v1alpha1.BucketAccess) []reconcile.Request {
		if found := recordOf(access); found != nil {
			return []reconcile.Request{{NamespacedName: client.ObjectKey{Name: found.BucketName}}}
		}
		return cosireconcile.ListRequests(ctx, cache, &v1alpha1.BucketList{}, func(bucket *v1alpha1.Bucket) bool {
			return !bucket.DeletionTimestamp.IsZero() && isBoundTo(bucket, access)
		})
	})
}
