package bucketaccess

import (
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosireconcile "github.com/cosi-emu/cosi-emu/internal/reconcile"
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
