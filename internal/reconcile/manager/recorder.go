package manager

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/controller-runtime/pkg/recorder"
)

// lateRecorders are the manager's recorders of Events, for the lock of the election,
// which is made before the manager, and used after.
type lateRecorders struct{ host *Manager }

// GetEventRecorderFor implements recorder.Provider.
func (l lateRecorders) GetEventRecorderFor(name string) record.EventRecorder {
	return lateRecorder{l.host, name}
}

// GetEventRecorder implements recorder.Provider.
func (l lateRecorders) GetEventRecorder(name string) recorder.EventRecorder {
	return l.host.GetEventRecorder(name)
}

type lateRecorder struct {
	host *Manager
	name string
}

func (l lateRecorder) to() record.EventRecorder {
	return l.host.GetEventRecorderFor(l.name) //nolint:staticcheck // elections write Events of the older kind
}

// Event implements record.EventRecorder.
func (l lateRecorder) Event(object runtime.Object, kind, reason, message string) {
	l.to().Event(object, kind, reason, message)
}

// Eventf implements record.EventRecorder.
func (l lateRecorder) Eventf(object runtime.Object, kind, reason, format string, args ...any) {
	l.to().Eventf(object, kind, reason, format, args...)
}

// AnnotatedEventf implements record.EventRecorder.
func (l lateRecorder) AnnotatedEventf(object runtime.Object, annotations map[string]string, kind, reason, format string, args ...any) {
	l.to().AnnotatedEventf(object, annotations, kind, reason, format, args...)
}
