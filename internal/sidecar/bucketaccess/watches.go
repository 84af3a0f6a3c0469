package bucketaccess

import (
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/sidecar/driver"
)

// Wakes lets through the events after which a BucketAccess of the driver needs
// another look. What the reconciler itself writes into the status does not: it
// has just looked.
func Wakes(d *driver.Driver) predicate.TypedPredicate[*v1alpha2.BucketAccess] {
	return predicate.TypedFuncs[*v1alpha2.BucketAccess]{
		CreateFunc: func(e event.TypedCreateEvent[*v1alpha2.BucketAccess]) bool { return ownedBy(e.Object, d) },
		// The reconciler forgets what it remembers of an access that is gone.
		DeleteFunc: func(e event.TypedDeleteEvent[*v1alpha2.BucketAccess]) bool {
			return e.Object.Status.DriverName == d.Name()
		},
		UpdateFunc: func(e event.TypedUpdateEvent[*v1alpha2.BucketAccess]) bool {
			return ownedBy(e.ObjectNew, d) && (changed(e.ObjectOld, e.ObjectNew) || !statusOf(e.ObjectNew).Plausible())
		},
	}
}

// changed reports whether something that the reconciler goes by has changed
// since it last looked, by another hand than its own.
func changed(before, after *v1alpha2.BucketAccess) bool {
	return before.UID != after.UID ||
		before.Generation != after.Generation ||
		!before.DeletionTimestamp.Equal(after.DeletionTimestamp) ||
		handedOverChanged(&before.Status, &after.Status) ||
		handedBack(before) != handedBack(after) ||
		protected(before) && !protected(after) ||
		statusOf(after).WorseThan(statusOf(before))
}

func handedOverChanged(before, after *v1alpha2.BucketAccessStatus) bool {
	return before.DriverName != after.DriverName ||
		before.AuthenticationType != after.AuthenticationType ||
		!equality.Semantic.DeepEqual(before.AccessedBuckets, after.AccessedBuckets) ||
		!equality.Semantic.DeepEqual(before.Parameters, after.Parameters)
}

func handedBack(access *v1alpha2.BucketAccess) bool {
	return metav1.HasAnnotation(access.ObjectMeta, v1alpha2.SidecarCleanupFinishedAnnotation)
}

func protected(access *v1alpha2.BucketAccess) bool {
	return controllerutil.ContainsFinalizer(access, v1alpha2.ProtectionFinalizer)
}
