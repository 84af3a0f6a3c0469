package metrics

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/internal/reconcile/kepmetrics"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/watched"
)

// Operations returns the watchers for one version of the API, of the objects of the namespaces.
type Operations func(cache client.Reader, namespaces watched.Namespaces) []*watcher

// WatchOperations measures the operations on the objects of a cache. It counts nothing before
// elected is closed: only the leader counts.
func WatchOperations(
	ctx context.Context, c cache.Cache, elected <-chan struct{}, namespaces watched.Namespaces, operations Operations,
) error {
	for _, w := range operations(c, namespaces) {
		w.elected, w.now = elected, time.Now
		informer, err := c.GetInformer(ctx, w.example, cache.BlockUntilSynced(false))
		if err != nil {
			return err
		}
		if _, err := informer.AddEventHandler(w); err != nil {
			return err
		}
	}
	return nil
}

// watcher measures the operations on the objects of one kind. The cache calls its methods concurrently for several
// namespaces.
type watcher struct {
	kind    string
	example client.Object
	ready   func(client.Object) bool
	// driver returns the name of the object's driver, or "" if it has none yet.
	driver func(client.Object) string

	// serves reports whether the component serves an object. The cache has the Buckets of all namespaces.
	serves func(client.Object) bool

	elected <-chan struct{}
	now     func() time.Time

	mu sync.Mutex
	// deleting has the drivers of objects that are being deleted. When a claim is deleted, its
	// Bucket, and perhaps its class, no longer exist.
	deleting map[types.UID]string
}

// OnAdd implements cache.ResourceEventHandler. The initial list does not contain the time at which
// an object became ready.
func (w *watcher) OnAdd(object any, isInInitialList bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if is, ok := object.(client.Object); ok && w.serves(is) {
		w.add(is, isInInitialList)
	}
}

func (w *watcher) add(is client.Object, isInInitialList bool) {
	w.noteDeleting(is)
	if !isInInitialList && w.ready(is) {
		w.finish(is, kepmetrics.Create, is.GetCreationTimestamp().Time)
	}
}

// OnUpdate implements cache.ResourceEventHandler.
func (w *watcher) OnUpdate(before, after any) {
	was, wasObject := before.(client.Object)
	is, isObject := after.(client.Object)
	if !wasObject || !isObject || !w.serves(is) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if was.GetUID() != is.GetUID() { // deleted and created again, unseen
		w.countMissed(was)
		w.add(is, false)
		return
	}
	w.noteDeleting(is)
	leaves := was.GetDeletionTimestamp().IsZero() && !is.GetDeletionTimestamp().IsZero()
	switch {
	case !w.ready(was) && w.ready(is):
		w.finish(is, kepmetrics.Create, is.GetCreationTimestamp().Time)
	case leaves && !w.ready(is):
		w.count(is, kepmetrics.Create, canceled)
	}
}

// OnDelete implements cache.ResourceEventHandler.
func (w *watcher) OnDelete(object any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if last, missed := object.(toolscache.DeletedFinalStateUnknown); missed {
		if was, ok := last.Obj.(client.Object); ok && w.serves(was) {
			w.countMissed(was)
		}
		return
	}
	was, ok := object.(client.Object)
	if !ok || !w.serves(was) {
		return
	}
	defer delete(w.deleting, was.GetUID())
	if since := was.GetDeletionTimestamp(); since != nil {
		w.finish(was, kepmetrics.Delete, since.Time)
		return
	}
	// Without a finalizer, it vanished when it was deleted.
	if !w.ready(was) {
		w.count(was, kepmetrics.Create, canceled)
	}
	w.finish(was, kepmetrics.Delete, w.now())
}

// countMissed counts an object whose deletion the watch has missed.
func (w *watcher) countMissed(was client.Object) {
	defer delete(w.deleting, was.GetUID())
	w.count(was, kepmetrics.Delete, unknown)
}

func (w *watcher) finish(object client.Object, operation string, since time.Time) {
	if w.count(object, operation, succeeded) {
		observeDuration(w.driverOf(object), w.kind, operation, since, w.now())
	}
}

func (w *watcher) count(object client.Object, operation, status string) bool {
	select {
	case <-w.elected:
		countOperation(w.driverOf(object), w.kind, operation, status)
		return true
	default:
		return false
	}
}

func (w *watcher) noteDeleting(object client.Object) {
	if object.GetDeletionTimestamp().IsZero() || w.deleting[object.GetUID()] != "" {
		return
	}
	w.deleting[object.GetUID()] = w.driver(object)
}

func (w *watcher) driverOf(object client.Object) string {
	if name := w.deleting[object.GetUID()]; name != "" {
		return name
	}
	return w.driver(object)
}
