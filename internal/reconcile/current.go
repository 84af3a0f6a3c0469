package reconcile

import (
	"context"
	"fmt"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// ConfirmCurrent asks the API server whether an object is as the cache has it. A phase calls it
// before it creates something by the word of a class, which may have been deleted and created
// again with other contents. It returns a conflict if the object has changed, and NotFound if it
// does not exist any more; the reconcile is repeated with back-off.
func ConfirmCurrent[T client.Object](ctx context.Context, live client.Reader, cached T) error {
	now, kind := newObject[T](), reflect.TypeFor[T]().Elem().Name()
	if err := live.Get(ctx, client.ObjectKeyFromObject(cached), now); err != nil {
		return fmt.Errorf("read %s %s from the API server: %w", kind, client.ObjectKeyFromObject(cached), err)
	}
	if now.GetUID() == cached.GetUID() && now.GetResourceVersion() == cached.GetResourceVersion() {
		return nil
	}
	return apierrors.NewConflict(schema.GroupResource{Group: v1alpha2.GroupName, Resource: kind}, cached.GetName(),
		fmt.Errorf("the cached %s %s is out of date", kind, client.ObjectKeyFromObject(cached)))
}
