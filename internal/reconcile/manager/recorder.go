package manager

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/controller-runtime/pkg/recorder"
)

// lazyRecorders are the manager's recorders of Events. The lock of the election
// needs them: it is created before the manager, and used after.
type lazyRecorders struct{ manager *Manager }

// GetEventRecorderFor implements recorder.Provider.
func (l lazyRecorders) GetEventRecorderFor(name string) record.EventRecorder {
	return lazyRecorder{l.manager, name}
}

// GetEventRecorder implements recorder.Provider.
func (l lazyRecorders) GetEventRecorder(name string) recorder.EventRecorder {
	return l.manager.GetEventRecorder(name)
}

type lazyRecorder struct {
	manager *Manager
	name    string
}

func (l lazyRecorder) get() record.EventRecorder {
	return l.manager.GetEventRecorderFor(l.name) //nolint:staticcheck // elections write Events of the older kind
}

// Event implements record.EventRecorder.
func (l lazyRecorder) Event(object runtime.Object, kind, reason, message string) {
	l.get().Event(object, kind, reason, message)
}

// Eventf implements record.EventRecorder.
func (l lazyRecorder) Eventf(object runtime.Object, kind, reason, format string, args ...any) {
	l.get().Eventf(object, kind, reason, format, args...)
}

// AnnotatedEventf implements record.EventRecorder.
func (l lazyRecorder) AnnotatedEventf(object runtime.Object, annotations map[string]string, kind, reason, format string, args ...any) {
	l.get().AnnotatedEventf(object, annotations, kind, reason, format, args...)
}
