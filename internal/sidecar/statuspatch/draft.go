// Package statuspatch has an object that a reconcile works on, phase by phase, together
// with what the API server is known to have of it, so that a write is made only
// on change, and is computed from what it replaces.
package statuspatch

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
)

// Desk is where drafts are written from: the client, and the recorder of what
// users are told. It is safe for concurrent use.
type Desk struct {
	Client client.Client
	Events events.EventRecorder
}

// Draft is one object in the hands of one reconcile. It is not safe for
// concurrent use.
type Draft[T client.Object] struct {
	// Object is to be changed by phases: the status freely, to be written by
	// SaveStatus, and the metadata in PatchMetadata only.
	Object T

	desk   Desk
	stored T
	status func(T) Status
}

// New returns a draft of an object as it was read. The function returns the
// object's status.
func New[T client.Object](desk Desk, object T, status func(T) Status) *Draft[T] {
	d := &Draft[T]{Object: object, desk: desk, stored: clone(object), status: status}
	d.status(d.Object).distrust()
	return d
}

// Succeed writes down that the driver has provisioned what the object stands
// for, whose ID is in the status.
func (d *Draft[T]) Succeed(message string) {
	d.status(d.Object).succeed(message)
}

// SaveStatus writes the status if it differs from the stored one, and then tells
// users what is new in the conditions.
//
// The patch holds on to the version that it was computed from: a merge patch
// replaces lists such as the conditions as a whole, and an object that was
// deleted and made anew under the same name must not inherit an ID.
func (d *Draft[T]) SaveStatus(ctx context.Context, action cosievents.Action) error {
	if !d.changed() {
		return nil
	}
	if err := d.desk.Client.Status().Patch(ctx, d.Object, locked(d.stored)); err != nil {
		return fmt.Errorf("write the status of %T %s: %w", d.Object, client.ObjectKeyFromObject(d.Object), err)
	}
	normalize(d.Object, d.stored)
	cosievents.Changes(d.desk.Events, d.Object, action, *d.status(d.stored).Conditions, *d.status(d.Object).Conditions)
	d.stored = clone(d.Object)
	return nil
}

// PatchMetadata writes what change does to finalizers and annotations, if it
// does something. A status that is not saved yet stays so.
//
// As in SaveStatus, the patch holds on to the version that it was computed from:
// finalizers are a list, and whether one may go has been decided by what was
// read.
func (d *Draft[T]) PatchMetadata(ctx context.Context, change func(T)) error {
	changed := clone(d.stored)
	change(changed)
	if equality.Semantic.DeepEqual(d.stored, changed) {
		return nil
	}
	if err := d.desk.Client.Patch(ctx, changed, locked(d.stored)); err != nil {
		return fmt.Errorf("write the metadata of %T %s: %w", d.Object, client.ObjectKeyFromObject(d.Object), err)
	}
	normalize(changed, d.stored)
	d.stored = changed
	d.Object.SetFinalizers(changed.GetFinalizers())
	d.Object.SetAnnotations(changed.GetAnnotations())
	d.Object.SetResourceVersion(changed.GetResourceVersion())
	return nil
}

// Deprovisioned tells users that what stood behind the object is gone.
func (d *Draft[T]) Deprovisioned(message string) {
	d.desk.Events.Eventf(d.Object, nil, corev1.EventTypeNormal, v1alpha2.ReasonDeprovisioned, string(cosievents.Deprovision),
		"%s", message)
}

func (d *Draft[T]) changed() bool {
	return !equality.Semantic.DeepEqual(d.stored, d.Object)
}

// normalize takes out of the API server's answer what objects from the cache do
// not have, or have in another form, so that it is not taken for a change.
func normalize(answer, like client.Object) {
	answer.SetManagedFields(like.GetManagedFields())
	answer.GetObjectKind().SetGroupVersionKind(like.GetObjectKind().GroupVersionKind())
}

func locked(stored client.Object) client.Patch {
	return client.MergeFromWithOptions(stored, client.MergeFromWithOptimisticLock{})
}

func clone[T client.Object](object T) T {
	return object.DeepCopyObject().(T) //nolint:forcetypeassert // a copy has the type of what it is a copy of
}
