package manager

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/controller-runtime/pkg/recorder"
)

// lazyRecorders are the manager's recorders of Events for the lock of the election, which is
// created before the manager.
type lazyRecorders struct{ manager *Manager }

func (l lazyRecorders) GetEventRecorderFor(name string) record.EventRecorder {
	return lazyRecorder{l.manager, name}
}

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

func (l lazyRecorder) Event(object runtime.Object, kind, reason, message string) {
	l.get().Event(object, kind, reason, message)
}

func (l lazyRecorder) Eventf(object runtime.Object, kind, reason, format string, args ...any) {
	l.get().Eventf(object, kind, reason, format, args...)
}

func (l lazyRecorder) AnnotatedEventf(object runtime.Object, annotations map[string]string, kind, reason, format string, args ...any) {
	l.get().AnnotatedEventf(object, annotations, kind, reason, format, args...)
}
