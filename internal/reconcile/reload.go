package reconcile

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

// Reload replaces the object by the API server's current version. A phase calls it
// directly before an irreversible operation, and decides by that version: the cache
// may lag behind, and show a policy, an ID or a claim that has changed. Changes of
// the status that are not saved are lost.
//
// If the API server has another object of that name, or an older version than this
// reconcile has seen, Reload returns a conflict, and the reconcile is repeated with
// back-off. If the component does not own the object any more, it returns ErrDone.
func (p *Patcher[T]) Reload(ctx context.Context) error {
	live := newObject[T]()
	if err := p.runner.Live.Get(ctx, client.ObjectKeyFromObject(p.stored), live); err != nil {
		return fmt.Errorf("read %s from the API server: %w", p, err)
	}
	if err := p.checkSuccessor(live); err != nil {
		return fmt.Errorf("read %s from the API server: %w", p, err)
	}
	normalize(live, p.stored)
	p.stored, p.Object = live, clone(live)
	if !p.runner.Owns(p.Object) {
		return ErrDone
	}
	p.Status().ResetIncomplete()
	return nil
}

// checkSuccessor returns a conflict unless the answer is the same object as p.Object, in the same
// or a later version.
func (p *Patcher[T]) checkSuccessor(live T) error {
	order, err := resourceversion.CompareResourceVersion(live.GetResourceVersion(), p.stored.GetResourceVersion())
	switch {
	case live.GetUID() != p.stored.GetUID():
		err = errors.New("it was deleted and created again")
	case err == nil && order < 0:
		err = errors.New("the answer is older than an earlier one")
	case err == nil:
		return nil
	}
	return apierrors.NewConflict(schema.GroupResource{Group: v1alpha2.GroupName, Resource: p.String()}, live.GetName(), err)
}
