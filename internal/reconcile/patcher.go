package reconcile

import (
	"context"
	"fmt"
	"reflect"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2" // for the reason, which both versions share
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// Patcher writes one object for one reconcile. It stores the API server's state, so that it writes
// only on change. It is not safe for concurrent use.
type Patcher[T client.Object] struct {
	// Object is for phases to change: the status freely, the metadata only by PatchMetadata. The
	// runner writes the status after the last phase.
	Object T

	runner  *Runner[T]
	stored  T // the API server's state
	action  cosievents.Action
	pending []func() // Events to record when the status is written
	requeue bool
	after   time.Duration // 0 for not at all

	tolerated []string // messages, for when the status is written
}

func newPatcher[T client.Object](r *Runner[T], object T) *Patcher[T] {
	p := &Patcher[T]{Object: object, runner: r, stored: clone(object), action: cosievents.Provision}
	if !object.GetDeletionTimestamp().IsZero() {
		p.action = cosievents.Deprovision
	}
	p.Status().ResetIncomplete()
	return p
}

// Status returns the part of the object's status that the runner maintains.
func (p *Patcher[T]) Status() Status { return p.runner.Status(p.Object) }

// Requeue makes the runner reconcile the object again with back-off, although nothing has failed.
// It is for a phase for which the cache and the API server disagree: the watch may have no further
// event.
func (p *Patcher[T]) Requeue() { p.requeue = true }

// RequeueAfter makes the runner reconcile the object again after a time, unless this reconcile fails. The earliest time of
// several counts.
func (p *Patcher[T]) RequeueAfter(after time.Duration) {
	if p.after == 0 || after < p.after {
		p.after = after
	}
}

// Event records a normal Event about the object.
func (p *Patcher[T]) Event(reason, message string) {
	p.runner.Recorder.Eventf(p.Object, nil, corev1.EventTypeNormal, reason, string(p.action), "%s", message)
}

// EventOnSave records a normal Event once the status has been written.
func (p *Patcher[T]) EventOnSave(reason, message string) {
	p.pending = append(p.pending, func() { p.Event(reason, message) })
}

// Tolerate accepts a problem of the object that the API allows. A Warning has the problem and its
// consequences, once the status is written or a failure is new, which the problem may explain. In a
// strict component, the problem is an error with the reason.
func (p *Patcher[T]) Tolerate(reason, problem, follows string) error {
	if p.runner.Strict {
		return reasons.Invalid(reason, "%s", problem)
	}
	p.tolerated = append(p.tolerated, problem+"; "+follows)
	return nil
}

func (p *Patcher[T]) warn() {
	for _, message := range p.tolerated {
		message = condition.Clip(message)
		p.runner.Recorder.Eventf(p.Object, nil, corev1.EventTypeWarning, v1alpha2.ReasonTolerated, string(p.action), "%s", message)
	}
	p.tolerated = nil
}

// SaveStatus writes a changed status before the reconcile ends, for an intent that must be durable
// before a side effect. Changes of the conditions become Events.
//
// The patch is locked to the version that it was computed from, unless the runner has WriteStatus:
// a merge patch replaces lists such as the conditions as a whole, and an object that was deleted
// and created again under its name must not inherit an ID.
func (p *Patcher[T]) SaveStatus(ctx context.Context) error {
	if !p.changed() {
		return nil
	}
	if err := p.patchStatus(ctx); err != nil {
		return fmt.Errorf("write status of %s: %w", p, err)
	}
	for _, event := range p.pending {
		event()
	}
	p.pending = nil
	p.warn()
	cosievents.Changes(p.runner.Recorder, p.Object, p.action, p.runner.Status(p.stored).Current(), p.Status().Current())
	p.stored = clone(p.Object)
	return nil
}

func (p *Patcher[T]) patchStatus(ctx context.Context) error {
	if p.runner.WriteStatus != nil {
		return p.runner.WriteStatus(ctx, p.Object)
	}
	if err := PatchStatus(ctx, p.runner.Client, p.Object, locked(p.stored)); err != nil {
		return err
	}
	normalize(p.Object, p.stored)
	return nil
}

// PatchMetadata writes a function's changes to finalizers, labels and annotations, if any. Unsaved changes
// of the status stay unsaved.
//
// The patch is locked to the version that it was computed from: finalizers are a list, and the
// removal of one was decided on that version.
func (p *Patcher[T]) PatchMetadata(ctx context.Context, change func(T)) error {
	changed := clone(p.stored)
	change(changed)
	if equality.Semantic.DeepEqual(p.stored, changed) {
		return nil
	}
	if err := p.runner.Client.Patch(ctx, changed, locked(p.stored)); err != nil {
		return fmt.Errorf("write metadata of %s: %w", p, err)
	}
	normalize(changed, p.stored)
	p.stored = changed
	p.Object.SetFinalizers(changed.GetFinalizers())
	p.Object.SetLabels(changed.GetLabels())
	p.Object.SetAnnotations(changed.GetAnnotations())
	p.Object.SetResourceVersion(changed.GetResourceVersion())
	return nil
}

// conclude records the outcome of the phases in the status, and writes a changed one. A permanent
// error becomes a terminal error the first time, so that it is logged and counted once.
func (p *Patcher[T]) conclude(ctx context.Context, err error) error {
	found, isReason := reasons.As(err)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && !isReason, !p.runner.Owns(p.Object):
		return err
	}
	p.Status().Conclude(found)
	isNews := p.runner.Failures.Record(p.Object, p.action, found)
	if !p.changed() && !isNews {
		return err
	}
	if saveErr := p.SaveStatus(ctx); saveErr != nil {
		return saveErr
	}
	if isNews && (found.IsPermanent() || found.IsRetryable()) {
		p.warn()
	}
	if isReason && found.IsPermanent() {
		return reconcile.TerminalError(found)
	}
	return err
}

func (p *Patcher[T]) changed() bool { return !equality.Semantic.DeepEqual(p.stored, p.Object) }

// String returns kind and name of the object, for errors.
func (p *Patcher[T]) String() string { return describe(p.Object) }

func describe[T client.Object](object T) string {
	kind, name := reflect.TypeFor[T]().Elem().Name(), object.GetName()
	if namespace := object.GetNamespace(); namespace != "" {
		name = namespace + "/" + name
	}
	return kind + " " + name
}

// normalize removes fields from the API server's answer that objects from the cache lack, or have
// in another form, so that they do not count as changes.
func normalize(answer, like client.Object) {
	answer.SetManagedFields(like.GetManagedFields())
	answer.GetObjectKind().SetGroupVersionKind(like.GetObjectKind().GroupVersionKind())
}

func locked(stored client.Object) client.Patch {
	return client.MergeFromWithOptions(stored, client.MergeFromWithOptimisticLock{})
}

func clone[T client.Object](object T) T {
	return object.DeepCopyObject().(T) //nolint:forcetypeassert // a copy has the type of its original
}
