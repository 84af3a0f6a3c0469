package memstore

import (
	"fmt"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
)

// record is one version of an object. It never changes once it is in the store.
type record struct {
	key      string
	revision int64
	data     []byte // as the codec and the transformer wrote it
	objects  decoded
}

// decoded has the object of a record or an event for each resource store, so that each store
// decodes it once. Only resource stores that are in use keep objects: one for each served
// version of the resource.
type decoded struct {
	first atomic.Pointer[decodedBy]
}

type decodedBy struct {
	by     *resourceStore
	object runtime.Object
	next   *decodedBy
}

// of returns the object of a resource store, or nil.
func (d *decoded) of(r *resourceStore) runtime.Object {
	for entry := d.first.Load(); entry != nil; entry = entry.next {
		if entry.by == r {
			return entry.object
		}
	}
	return nil
}

// keep keeps an object for a resource store, and returns the object to use: if another
// goroutine was faster, its object.
func (d *decoded) keep(r *resourceStore, object runtime.Object) runtime.Object {
	for {
		first := d.first.Load()
		if kept := d.of(r); kept != nil {
			return kept
		}
		entry := &decodedBy{by: r, object: object}
		for other := first; other != nil; other = other.next {
			if !other.by.destroyed.Load() { // or CRDs that change would pile up objects
				entry.next = &decodedBy{by: other.by, object: other.object, next: entry.next}
			}
		}
		if d.first.CompareAndSwap(first, entry) {
			return object
		}
	}
}

func (d *decoded) drop() {
	d.first.Store(nil)
}

// checkMutations panics if a reader changed an object that it shares with the store.
func (rec *record) checkMutations() {
	for entry := rec.objects.first.Load(); entry != nil; entry = entry.next {
		fresh, err := entry.by.decode(rec.data, rec.revision, entry.by.newObject())
		if err != nil {
			continue // the resource was served with another schema when it was decoded
		}
		if !equality.Semantic.DeepEqual(fresh, entry.object) {
			panic(fmt.Sprintf("memstore: the object at %s, revision %d, was changed by a reader: it must copy what it changes",
				rec.key, rec.revision))
		}
	}
}

// checkMutations checks all objects of the present state.
func (s *Store) checkMutations() {
	s.mu.RLock()
	defer s.mu.RUnlock()
	s.records.Ascend(func(rec *record) bool {
		rec.checkMutations()
		return true
	})
}
