package scale

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/watch"
	watchtools "k8s.io/client-go/tools/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// watchFrom watches what happens in a namespace from now on. An API server with
// much to do ends watches now and then; this one is resumed where it ended.
func (e *environment) watchFrom(ctx context.Context, list client.ObjectList, namespace string) (watch.Interface, error) {
	if err := e.admin.List(ctx, list, client.InNamespace(namespace), client.Limit(1)); err != nil {
		return nil, err
	}
	source := watchFunc(func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
		return e.admin.Watch(ctx, list, client.InNamespace(namespace), &client.ListOptions{Raw: &options})
	})
	return watchtools.NewRetryWatcherWithContext(ctx, list.GetResourceVersion(), source)
}

type watchFunc func(context.Context, metav1.ListOptions) (watch.Interface, error)

func (f watchFunc) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	return f(ctx, options)
}

// collect reads a watch until a number of objects have reached a state.
func collect(ctx context.Context, watcher watch.Interface, count int, reached func(watch.Event) bool) error {
	there := sets.New[string]()
	for there.Len() < count {
		select {
		case event, open := <-watcher.ResultChan():
			if ctx.Err() == nil && (!open || event.Type == watch.Error) {
				return fmt.Errorf("the API server has ended a watch: %v", event.Object)
			}
			if !open || !reached(event) {
				continue
			}
			accessor, err := meta.Accessor(event.Object)
			if err != nil {
				return err
			}
			there.Insert(accessor.GetName())
		case <-ctx.Done():
			return fmt.Errorf("%d of %d objects are where they should be: %w", there.Len(), count, context.Cause(ctx))
		}
	}
	return nil
}

func isReady(event watch.Event) bool {
	switch object := event.Object.(type) {
	case *v1alpha2.BucketAccess:
		return object.Status.ReadyToUse
	case *v1alpha2.BucketClaim:
		return object.Status.ReadyToUse
	default:
		return false
	}
}

func isGone(event watch.Event) bool { return event.Type == watch.Deleted }
