package reconcile

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// ListRequests returns a request for each object of type T that the cache lists with the options
// and that the function selects. A nil function selects all. It reads the cache as it is: an event
// handler must not wait for the cache to catch up.
func ListRequests[T client.Object](
	ctx context.Context, cache client.Reader, list client.ObjectList, selected func(T) bool, options ...client.ListOption,
) []reconcile.Request {
	if err := cache.List(ctx, list, append(options, client.UnsafeDisableDeepCopy)...); err != nil {
		log.FromContext(ctx).Error(err, "list objects from the cache", "type", fmt.Sprintf("%T", list))
		return nil
	}
	var requests []reconcile.Request
	_ = meta.EachListItem(list, func(item runtime.Object) error { // the function returns no error
		if object, ok := item.(T); ok && (selected == nil || selected(object)) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(object)})
		}
		return nil
	})
	return requests
}

// OnUpdate returns a predicate that selects updates of objects of type T by a
// function. It selects all other events.
func OnUpdate[T client.Object](changed func(was, is T) bool) predicate.Funcs {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		was, oldOK := e.ObjectOld.(T)
		is, newOK := e.ObjectNew.(T)
		return !oldOK || !newOK || changed(was, is)
	}}
}

// Never is for events that a predicate does not select.
func Never[E any](E) bool { return false }

// IndexBy adapts a function of objects of type T to the cache.
func IndexBy[T client.Object](values func(T) []string) client.IndexerFunc {
	return func(object client.Object) []string {
		if typed, ok := object.(T); ok {
			return values(typed)
		}
		return nil
	}
}

// LostFinalizer reports whether COSI's finalizer has been removed.
func LostFinalizer(was, is client.Object) bool { return hasFinalizer(was) && !hasFinalizer(is) }

// LostDriverLabel reports whether the label with a Bucket's driver has been changed or removed.
func LostDriverLabel(was, is client.Object) bool {
	label := was.GetLabels()[v1alpha2.DriverLabel]
	return label != "" && is.GetLabels()[v1alpha2.DriverLabel] != label
}

// IsReleased reports whether a deleting object has no finalizer of COSI any more, so that it may
// have vanished.
func IsReleased(object client.Object) bool {
	return !object.GetDeletionTimestamp().IsZero() && !hasFinalizer(object)
}

func hasFinalizer(object client.Object) bool {
	return controllerutil.ContainsFinalizer(object, v1alpha2.ProtectionFinalizer)
}
