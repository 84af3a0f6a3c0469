package instance

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"
)

// newInformer returns an informer of the cache. A watch of metadata passes through a filter whose
// goroutine blocks endlessly if the watch is stopped while the filter has an event. Draining the
// watch lets the filter return.
func newInformer(
	lw toolscache.ListerWatcher, example runtime.Object, resync time.Duration, indexers toolscache.Indexers,
) toolscache.SharedIndexInformer {
	listWatch, ok := lw.(*toolscache.ListWatch)
	if _, isMetadata := example.(*metav1.PartialObjectMetadata); isMetadata && ok {
		start := listWatch.WatchFuncWithContext
		listWatch.WatchFuncWithContext = func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			watcher, err := start(ctx, options)
			if err != nil {
				return nil, err
			}
			return drainedWatch{watcher}, nil
		}
	}
	return toolscache.NewSharedIndexInformer(lw, example, resync, indexers)
}

// drainedWatch discards the events of a watch after Stop.
type drainedWatch struct{ watch.Interface }

func (d drainedWatch) Stop() {
	d.Interface.Stop()
	go func() {
		for range d.ResultChan() {
			continue
		}
	}()
}
