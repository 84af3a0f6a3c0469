package bucket

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/driver"
)

// Wakes lets through the events after which a Bucket of the driver needs another
// look. What the reconciler itself writes into the status does not: it has just
// looked.
func Wakes(d *driver.Driver) predicate.TypedPredicate[*v1alpha2.Bucket] {
	return predicate.TypedFuncs[*v1alpha2.Bucket]{
		CreateFunc: func(e event.TypedCreateEvent[*v1alpha2.Bucket]) bool { return ownedBy(e.Object, d) },
		DeleteFunc: func(e event.TypedDeleteEvent[*v1alpha2.Bucket]) bool { return ownedBy(e.Object, d) }, // to forget it
		UpdateFunc: func(e event.TypedUpdateEvent[*v1alpha2.Bucket]) bool {
			return ownedBy(e.ObjectNew, d) && (changed(e.ObjectOld, e.ObjectNew) || !statusOf(e.ObjectNew).Plausible())
		},
	}
}

// changed reports whether something that the reconciler goes by has changed
// since it last looked, by another hand than its own.
func changed(before, after *v1alpha2.Bucket) bool {
	return before.UID != after.UID ||
		before.Generation != after.Generation ||
		!before.DeletionTimestamp.Equal(after.DeletionTimestamp) ||
		v1alpha2.IsBucketClaimBeingDeleted(before) != v1alpha2.IsBucketClaimBeingDeleted(after) ||
		protected(before) && !protected(after) ||
		statusOf(after).WorseThan(statusOf(before))
}

func protected(bucket *v1alpha2.Bucket) bool {
	return controllerutil.ContainsFinalizer(bucket, v1alpha2.ProtectionFinalizer)
}

// Unsettled returns requests for the driver's Buckets that are not where they
// should be: not provisioned, or being deleted.
func Unsettled(ctx context.Context, cache client.Reader, d *driver.Driver) []reconcile.Request {
	buckets := &v1alpha2.BucketList{}
	if err := cache.List(ctx, buckets, client.UnsafeDisableDeepCopy); err != nil {
		log.FromContext(ctx).Error(err, "Buckets could not be listed from the cache")
		return nil
	}
	var requests []reconcile.Request
	for i := range buckets.Items {
		bucket := &buckets.Items[i]
		if ownedBy(bucket, d) && (!provisioned(bucket) || !bucket.DeletionTimestamp.IsZero()) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(bucket)})
		}
	}
	return requests
}
