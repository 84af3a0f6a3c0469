package connection

import (
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// Rejections remembers, for each object, the request that the driver has rejected. It would reject it
// again. Without this memory a watch event that arrives late, or a conflict when the status is
// written, would repeat the call. New inputs, a new connection to the driver and a new start of the
// sidecar let the driver be asked again.
//
// It is safe for concurrent use.
type Rejections struct {
	mu sync.Mutex
	of map[types.NamespacedName]rejection
}

type rejection struct {
	uid        types.UID
	connection uint64
	inputs     any
	err        error
}

// Once asks the driver, unless it has rejected the same inputs of the same object since it
// connected. The inputs are what the request depends on, without the UID; they are not changed any
// more. An error of KindRejected is a rejection.
func (r *Rejections) Once(c *Conn, object client.Object, inputs any, ask func() error) error {
	key, asked := client.ObjectKeyFromObject(object), rejection{uid: object.GetUID(), connection: c.accepted.Load(), inputs: inputs}
	if known, ok := r.get(key); ok && asked.repeats(known) {
		return known.err
	}
	asked.err = ask()
	if found, ok := reasons.As(asked.err); ok && found.Kind == reasons.KindRejected {
		r.set(key, asked)
	}
	return asked.err
}

func (r rejection) repeats(known rejection) bool {
	return r.uid == known.uid && r.connection == known.connection && reflect.DeepEqual(r.inputs, known.inputs)
}

func (r *Rejections) get(key types.NamespacedName) (rejection, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known, ok := r.of[key]
	return known, ok
}

func (r *Rejections) set(key types.NamespacedName, rejected rejection) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil {
		r.of = map[types.NamespacedName]rejection{}
	}
	r.of[key] = rejected
}

// Forget drops what is known of an object.
func (r *Rejections) Forget(object types.NamespacedName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.of, object)
}
