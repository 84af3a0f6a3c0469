package bucket

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
)

// Predicate selects the events after which a served Bucket must be reconciled. The
// reconciler's own writes of the status are not among them.
func Predicate(served Served) predicate.TypedPredicate[*v1alpha2.Bucket] {
	return predicate.TypedFuncs[*v1alpha2.Bucket]{
		CreateFunc: func(e event.TypedCreateEvent[*v1alpha2.Bucket]) bool { return served.has(e.Object) },
		DeleteFunc: func(e event.TypedDeleteEvent[*v1alpha2.Bucket]) bool { return served.has(e.Object) }, // to forget it
		UpdateFunc: func(e event.TypedUpdateEvent[*v1alpha2.Bucket]) bool {
			return served.has(e.ObjectNew) && (changed(e.ObjectOld, e.ObjectNew) || !statusOf(e.ObjectNew).IsConsistent())
		},
	}
}

// changed reports whether another writer has changed an input of the reconciler
// since its last reconcile.
func changed(before, after *v1alpha2.Bucket) bool {
	return before.UID != after.UID ||
		before.Generation != after.Generation ||
		!before.DeletionTimestamp.Equal(after.DeletionTimestamp) ||
		v1alpha2.IsBucketClaimBeingDeleted(before) != v1alpha2.IsBucketClaimBeingDeleted(after) ||
		cosireconcile.LostFinalizer(before, after) ||
		cosireconcile.LostDriverLabel(before, after) ||
		statusOf(after).RegressedFrom(statusOf(before))
}

// PendingRequests returns requests for the served Buckets that are not provisioned, or that are
// being deleted.
func PendingRequests(ctx context.Context, cache client.Reader, served Served) []reconcile.Request {
	return cosireconcile.ListRequests(ctx, cache, &v1alpha2.BucketList{}, func(bucket *v1alpha2.Bucket) bool {
		return served.has(bucket) && (!statusOf(bucket).IsProvisioned() || !bucket.DeletionTimestamp.IsZero())
	})
}
