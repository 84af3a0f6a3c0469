package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	cosiapi "github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// ownSilence is how long it must be silent at least about an object that COSI holds.
const ownSilence = 2 * time.Second

// errAbandoned means that nobody will act on an object any more.
var errAbandoned = errors.New("nobody does anything about it any more")

// hurry ends a wait as soon as it is clear that nobody will act. The function that
// it returns ends the watching, and waits for it.
func (r *run) hurry(ctx context.Context, object *unstructured.Unstructured, giveUp context.CancelCauseFunc) (stop func()) {
	v := &vigil{
		rest: func(ctx context.Context, quiet time.Duration) bool {
			return r.watcher.WaitQuiet(ctx, r.judgedScope(), quiet)
		},
		idle: r.idle,
		abandoned: func(ctx context.Context) (time.Duration, bool) {
			now := object.DeepCopy()
			if err := r.engine.client.Get(ctx, client.ObjectKeyFromObject(now), now); err != nil {
				return 0, false
			}
			return abandoned(now)
		},
		roundTrip: r.roundTrip,
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if v.keep(ctx) {
			giveUp(errAbandoned)
		}
	}()
	return func() {
		giveUp(nil)
		<-ended
	}
}

// idle reports whether nobody is at work for the scenario: no request is under way,
// and no component is about to come back.
func (r *run) idle() bool {
	scope := r.judgedScope()
	for _, e := range r.engine.journal.Pending() {
		if scope.Concerns(e) && !waitsForEvents(e) {
			return false
		}
	}
	return !slices.ContainsFunc(r.engine.emulator.Components(), func(c *emulator.Component) bool {
		state, _ := c.State()
		return state == emulator.StateCrashed
	})
}

// waitsForEvents reports whether a request goes on until something happens.
func waitsForEvents(e journal.Event) bool {
	return e.Seam == journal.SeamAPI && strings.HasPrefix(e.Operation.Name, "watch ")
}

// abandoned reports whether an object may stay for ever as it is: it is held by
// others than COSI, or COSI has refused for good, or has nothing more to say. It
// returns how long COSI must have been silent about it, at least.
func abandoned(object *unstructured.Unstructured) (silence time.Duration, abandoned bool) {
	if !controllerutil.ContainsFinalizer(object, cosiapi.ProtectionFinalizer) {
		return longRest, true
	}
	var status struct {
		Status struct {
			Conditions []metav1.Condition `json:"conditions"`
		} `json:"status"`
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &status); err != nil {
		return 0, false
	}
	return ownSilence, !retried(status.Status.Conditions)
}

// retried reports whether COSI says that it will try again, which may be after a
// long delay.
func retried(conditions []metav1.Condition) bool {
	failed := meta.FindStatusCondition(conditions, cosiapi.ConditionProvisionFailed)
	if failed != nil && failed.Status == metav1.ConditionTrue &&
		failed.Reason != cosiapi.ReasonDriverRefused && failed.Reason != cosiapi.ReasonInvalidDriverResponse {
		return true
	}
	validated := meta.FindStatusCondition(conditions, cosiapi.ConditionResourcesValidated)
	return validated != nil && validated.Status == metav1.ConditionFalse && validated.Reason == cosiapi.ReasonSecretWriteFailed
}
