package events

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/lru"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/recorder"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha1"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// maxFailures is the number of objects whose latest failure is remembered.
const maxFailures = 4096

// Recorder writes Events, with and without annotations.
type Recorder = recorder.EventRecorder

// Failures records Events about the obstacles of objects without conditions. An object that keeps
// failing in the same way is reported once. The Event of a permanent error has an annotation with the
// generation of the object. It is safe for concurrent use; a nil one records nothing.
type Failures struct {
	recorder Recorder
	recorded *lru.Cache // of types.UID to failure
}

type failure struct {
	action Action
	reasons.Error
	generation int64 // of an object with a permanent error
}

// NewFailures returns a Failures that writes to a recorder.
func NewFailures(r Recorder) *Failures {
	return &Failures{recorder: r, recorded: lru.New(maxFailures)}
}

// Record records the outcome of a reconcile, which is nil on success, and reports whether it has
// recorded an Event.
func (f *Failures) Record(object client.Object, action Action, found *reasons.Error) bool {
	if f == nil {
		return false
	}
	if found == nil {
		f.recorded.Remove(object.GetUID())
		return false
	}
	news := failure{action: action, Error: *found}
	var annotations map[string]string
	if found.IsPermanent() {
		news.generation = object.GetGeneration()
		annotations = map[string]string{v1alpha1.FinalGenerationAnnotation: strconv.FormatInt(news.generation, 10)}
	}
	if !f.isNew(object, news) {
		return false
	}
	if found.Kind == reasons.KindWaiting || found.Kind == reasons.KindBlocked {
		f.recorder.Eventf(object, nil, corev1.EventTypeNormal, found.Reason, string(action), "%s", condition.Clip(found.Message))
	} else {
		f.recorder.AnnotatedEventf(object, nil, annotations, corev1.EventTypeWarning, failureOf(object, action), string(action),
			"%s", condition.Clip(found.Error()))
	}
	return true
}

func (f *Failures) isNew(object client.Object, found failure) bool {
	value, _ := f.recorded.Get(object.GetUID())
	before, known := value.(failure)
	f.recorded.Add(object.GetUID(), found)
	isSameMessage := condition.IsSameMessage(found.Reason, before.Message, found.Message)
	before.Message = found.Message
	return !known || !isSameMessage || before != found
}
