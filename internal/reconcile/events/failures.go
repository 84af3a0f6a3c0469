package events

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/lru"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// maxFailures is the number of objects whose latest failure is remembered.
const maxFailures = 4096

// Failures records Events about the obstacles of objects without conditions. An object that keeps
// failing in the same way is reported once. It is safe for concurrent use; a nil one records
// nothing.
type Failures struct {
	recorder events.EventRecorder
	recorded *lru.Cache // of types.UID to failure
}

type failure struct {
	action Action
	reasons.Error
}

// NewFailures returns a Failures that writes to a recorder.
func NewFailures(recorder events.EventRecorder) *Failures {
	return &Failures{recorder: recorder, recorded: lru.New(maxFailures)}
}

// Record records the outcome of a reconcile, which is nil on success, and reports whether it has
// recorded an Event.
func (f *Failures) Record(object client.Object, action Action, found *reasons.Error) bool {
	switch {
	case f == nil:
		return false
	case found == nil:
		f.recorded.Remove(object.GetUID())
		return false
	case !f.isNew(object, failure{action, *found}):
		return false
	}
	if found.Kind == reasons.KindWaiting || found.Kind == reasons.KindBlocked {
		f.recorder.Eventf(object, nil, corev1.EventTypeNormal, found.Reason, string(action), "%s", condition.Clip(found.Message))
	} else {
		f.recorder.Eventf(object, nil, corev1.EventTypeWarning, failureOf(object, action), string(action), "%s", condition.Clip(found.Error()))
	}
	return true
}

func (f *Failures) isNew(object client.Object, found failure) bool {
	value, _ := f.recorded.Get(object.GetUID())
	before, known := value.(failure)
	f.recorded.Add(object.GetUID(), found)
	return !known || before.action != found.action || before.Kind != found.Kind || before.Reason != found.Reason ||
		!condition.IsSameMessage(found.Reason, before.Message, found.Message)
}
