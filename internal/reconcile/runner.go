package reconcile

import (
	"context"
	"errors"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	cosievents "github.com/cosi-emu/cosi-emu/internal/reconcile/events"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// Phase is one step of a reconcile. An error ends the reconcile:
//
//   - ErrDone: the next phases are not needed.
//   - ErrPostponed: the next phases must wait. The status stays as it is.
//   - A *reasons.Error: the runner records it in the status. Its kind decides
//     about a retry.
//   - Any other error, such as a conflict, does not concern the user: the status
//     stays as it is, and the runner tries again with back-off.
type Phase func(context.Context) error

// ErrDone is returned by a phase that makes the phases after it unnecessary.
var ErrDone = errors.New("the phases that follow are not needed")

// ErrPostponed is returned by a phase that must wait for something inside this component, which
// reconciles the object again. It has no effect on the object.
var ErrPostponed = errors.New("the phases that follow have to wait")

// Runner reconciles the objects of one kind. It fetches an object, walks it through its phases, and
// writes a changed status once. The fields are set before first use. A Runner is safe for
// concurrent use for different objects.
type Runner[T client.Object] struct {
	Client client.Client
	// Live reads from the API server itself. Patcher.Reload requires it.
	Live     client.Reader
	Recorder events.EventRecorder
	// APIErrors records errors of the API server as Events.
	APIErrors *cosievents.APIErrors

	// Owns reports whether this component reconciles the object and writes its status. The runner
	// asks again after the phases, because a released object may have vanished.
	Owns   func(T) bool
	Status func(T) Status
	// Provision returns the phases of an object, and Deprovision the phases of an object that is
	// being deleted. They share the Patcher.
	Provision, Deprovision func(*Patcher[T]) []Phase

	// Failures, if set, records obstacles as Events. It is for objects without conditions, whose
	// changes would otherwise become Events.
	Failures *cosievents.Failures

	// Strict rejects problems that Patcher.Tolerate otherwise accepts.
	Strict bool

	// Forget, if set, drops the component's data about an object that does not exist any more. It is
	// called again after an error.
	Forget func(context.Context, client.ObjectKey) error
	// WriteStatus, if set, writes the whole status of an object, of which only this component is a
	// writer, by PatchStatus. Otherwise the runner writes the difference to the version that it
	// read, locked to that version.
	WriteStatus func(ctx context.Context, object T) error
}

// NoConditions is the Status of objects without conditions.
type NoConditions struct{}

// ResetIncomplete implements Status.
func (NoConditions) ResetIncomplete() {}

// Conclude implements Status.
func (NoConditions) Conclude(*reasons.Error) {}

// Current implements Status.
func (NoConditions) Current() []metav1.Condition { return nil }

// Status is the part of an object's status that a Runner maintains. It points
// into the object.
type Status interface {
	// ResetIncomplete resets fields that this component cannot have written.
	ResetIncomplete()
	// Conclude records the outcome of the phases, which is nil on success.
	Conclude(found *reasons.Error)
	Current() []metav1.Condition
}

// Reconcile implements reconcile.Reconciler.
func (r *Runner[T]) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	object := newObject[T]()
	if err := r.Client.Get(ctx, request.NamespacedName, object); err != nil {
		if apierrors.IsNotFound(err) && r.Forget != nil {
			return ResultOf(ctx, r.Forget(ctx, request.NamespacedName))
		}
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	return r.ReconcileObject(ctx, object)
}

// ReconcileObject reconciles an object as it was read, perhaps from an outdated cache.
func (r *Runner[T]) ReconcileObject(ctx context.Context, object T) (reconcile.Result, error) {
	if !r.Owns(object) {
		return reconcile.Result{}, nil
	}
	p := newPatcher(r, object)
	phases := r.Provision
	if p.action == cosievents.Deprovision {
		phases = r.Deprovision
	}
	err := p.conclude(ctx, walk(ctx, phases(p)))
	recordReason(ctx, err)
	result, err := ResultOf(ctx, r.APIErrors.Record(object, p.action, err))
	switch {
	case err != nil:
	case p.requeue:
		return withBackOff(), nil
	case p.after > 0 && result.IsZero():
		result.RequeueAfter = p.after
	}
	return result, err
}

func walk(ctx context.Context, phases []Phase) error {
	for _, phase := range phases {
		if err := phase(ctx); errors.Is(err, ErrDone) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

func newObject[T client.Object]() T {
	return reflect.New(reflect.TypeFor[T]().Elem()).Interface().(T) //nolint:forcetypeassert // it is a pointer to what T points to
}
