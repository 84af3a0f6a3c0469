package reconcile

import (
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Released has the objects that a component has released, until the cache does not
// have them any more. The API server answers the write that removes an object with
// the version from before. So a read does not wait until the cache has seen the
// removal, and the driver would be asked again to delete what the object stands for.
//
// It is safe for concurrent use.
type Released struct{ uids sync.Map } // client.ObjectKey to types.UID

// Add adds an object whose last finalizer has been removed.
func (r *Released) Add(object client.Object) {
	r.uids.Store(client.ObjectKeyFromObject(object), object.GetUID())
}

// Has reports whether the object has been released.
func (r *Released) Has(object client.Object) bool {
	uid, ok := r.uids.Load(client.ObjectKeyFromObject(object))
	return ok && uid == object.GetUID()
}

// Forget drops an object that the cache does not have any more.
func (r *Released) Forget(object client.ObjectKey) { r.uids.Delete(object) }
