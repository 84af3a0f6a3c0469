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

// maxAPIErrors is the number of objects whose latest error is remembered.
const maxAPIErrors = 4096

// APIErrors records an Event when the API server rejects a request of the component. A component
// that may not write an object cannot write its conditions either, and the KEP requires Events
// ("Conditions"). Repeated errors of an object are reported once. It is safe for concurrent use.
type APIErrors struct {
	recorder events.EventRecorder
	recorded *lru.Cache // of types.UID to string
}

// NewAPIErrors returns an APIErrors that writes to a recorder.
func NewAPIErrors(recorder events.EventRecorder) *APIErrors {
	return &APIErrors{recorder: recorder, recorded: lru.New(maxAPIErrors)}
}

// Record records the error of a reconcile, and returns it unchanged.
func (e *APIErrors) Record(object client.Object, action Action, err error) error {
	if _, isReason := reasons.As(err); err == nil || isReason {
		e.recorded.Remove(object.GetUID())
		return err
	}
	if isRejection(err) && e.isNew(object.GetUID(), err) {
		e.recorder.Eventf(object, nil, corev1.EventTypeWarning, v1alpha2.ReasonAPIError, string(action), "%s", condition.Clip(err.Error()))
	}
	return err
}

func (e *APIErrors) isNew(object types.UID, err error) bool {
	reason := apierrors.ReasonForError(err)
	before, known := e.recorded.Get(object)
	e.recorded.Add(object, reason)
	return !known || before != reason
}

// isRejection reports whether the API server would reject the request again. A conflict with
// another writer is temporary, and no Event can be written while the API server is unreachable.
func isRejection(err error) bool {
	switch apierrors.ReasonForError(err) {
	case metav1.StatusReasonUnknown, metav1.StatusReasonConflict, metav1.StatusReasonNotFound, metav1.StatusReasonAlreadyExists:
		return false
	default:
		return true
	}
}
