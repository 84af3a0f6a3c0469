package events

import (
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/lru"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/condition"
	"github.com/cosi-emu/cosi-emu/internal/reconcile/reasons"
)

// maxAPIErrors is for how many objects an APIErrors remembers what it has told.
const maxAPIErrors = 4096

// APIErrors tells users what the API server refuses to the component. It is not
// in the conditions, since a component that must not write to an object cannot
// write that there either; the KEP wants it reported by Events ("Conditions").
// An object that keeps meeting the same refusal is reported once. It is safe for
// concurrent use.
type APIErrors struct {
	recorder events.EventRecorder
	told     *lru.Cache // of types.UID to string
}

// NewAPIErrors returns an APIErrors that speaks through a recorder.
func NewAPIErrors(recorder events.EventRecorder) *APIErrors {
	return &APIErrors{recorder: recorder, told: lru.New(maxAPIErrors)}
}

// Record looks at what came of a reconcile, and returns err as it is.
func (o *APIErrors) Record(object client.Object, action Action, err error) error {
	if _, isFinding := reasons.As(err); err == nil || isFinding {
		o.told.Remove(object.GetUID())
		return err
	}
	if refused(err) && o.isNews(object.GetUID(), err) {
		o.recorder.Eventf(object, nil, corev1.EventTypeWarning, v1alpha2.ReasonAPIError, string(action), "%s", condition.Clip(err.Error()))
	}
	return err
}

func (o *APIErrors) isNews(object types.UID, err error) bool {
	reason := apierrors.ReasonForError(err)
	before, known := o.told.Get(object)
	o.told.Add(object, reason)
	return !known || before != reason
}

// refused reports whether the API server has refused something that it will
// refuse again. That another writer was faster passes by itself, and of a server
// that is not reached no Event could tell.
func refused(err error) bool {
	switch apierrors.ReasonForError(err) {
	case metav1.StatusReasonUnknown, metav1.StatusReasonConflict, metav1.StatusReasonNotFound, metav1.StatusReasonAlreadyExists:
		return false
	default:
		return true
	}
}
