package reconcile

import (
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Released has the objects that a component has released, until they leave the cache. The API
// server answers the write that removes an object with the version from before. So a read does not
// wait until the cache has seen the removal, and the driver would be asked again to delete the
// bucket or access.
//
// It is safe for concurrent use.
type Released struct{ uids sync.Map }

// Add adds an object whose last finalizer has been removed.
func (r *Released) Add(object client.Object) {
	r.uids.Store(client.ObjectKeyFromObject(object), object.GetUID())
}

// Has reports whether the object has been released.
func (r *Released) Has(object client.Object) bool {
	uid, ok := r.uids.Load(client.ObjectKeyFromObject(object))
	return ok && uid == object.GetUID()
}

// Forget drops an object that has left the cache.
func (r *Released) Forget(object client.ObjectKey) { r.uids.Delete(object) }
