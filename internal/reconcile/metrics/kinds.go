package metrics

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const kindBucket = "Bucket"

// lookupTimeout limits a read from the cache, which waits only at the start.
const lookupTimeout = 10 * time.Second

// watch returns the watcher of one kind. The functions return whether an object is provisioned, and
// the name of its driver.
func watch[T client.Object](kind string, example T, ready func(T) bool, driver func(T) string) *watcher {
	return &watcher{
		kind:     kind,
		example:  example,
		deleting: map[types.UID]string{},
		serves:   func(client.Object) bool { return true },
		ready: func(object client.Object) bool {
			typed, ok := object.(T)
			return ok && ready(typed)
		},
		driver: func(object client.Object) string {
			if typed, ok := object.(T); ok {
				return driver(typed)
			}
			return ""
		},
	}
}

// limit makes a watcher of a cluster-scoped kind ignore the objects that a function does not select.
func limit[T client.Object](w *watcher, selected func(T) bool) *watcher {
	w.serves = func(object client.Object) bool {
		typed, ok := object.(T)
		return ok && selected(typed)
	}
	return w
}

// lookup reads a cluster-scoped object from the cache, and reports whether it exists.
func lookup(objects client.Reader, name string, object client.Object) bool {
	if name == "" {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookupTimeout)
	defer cancel()
	return objects.Get(ctx, client.ObjectKey{Name: name}, object) == nil
}
