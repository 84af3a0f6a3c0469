package events

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// Outcomes records the outcome of reconciles as Events, for objects that have no conditions.
// Reasons and types of the Events are those that Changes would record. An object whose
// outcome stays the same is reported once. It is safe for concurrent use.
type Outcomes struct {
	recorder events.EventRecorder
	latest   *Latest
}

// NewOutcomes returns an Outcomes that writes to a recorder.
func NewOutcomes(recorder events.EventRecorder) *Outcomes {
	return &Outcomes{recorder: recorder, latest: NewLatest()}
}

// Record records what a reconcile has found, which is nil on success.
func (o *Outcomes) Record(object client.Object, action Action, found *reasons.Error) {
	if found == nil {
		o.latest.Forget(object.GetUID())
		return
	}
	message, news := condition.Clip(found.Message), *found
	news.Message = condition.Comparable(found.Reason, message)
	if !o.latest.IsNew(object.GetUID(), news) {
		return
	}
	switch {
	case found.Kind == reasons.KindWaiting, found.Kind == reasons.KindBlocked:
		o.recorder.Eventf(object, nil, corev1.EventTypeNormal, found.Reason, string(action), "%s", message)
	case found.Kind == reasons.KindLost && action == Provision:
		o.recorder.Eventf(object, nil, corev1.EventTypeWarning, found.Reason, string(action), "%s", message)
	default:
		o.recorder.Eventf(object, nil, corev1.EventTypeWarning, failureOf(object, action), string(action), "%s: %s", found.Reason, message)
	}
}
