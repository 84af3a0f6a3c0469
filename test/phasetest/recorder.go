package phasetest

import (
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
)

// recorder keeps the Events of a phase. It is safe for concurrent use.
type recorder struct {
	mu    sync.Mutex
	lines []string
}

// AnnotatedEventf implements events.AnnotatedEventRecorder.
func (r *recorder) AnnotatedEventf(
	regarding, related runtime.Object, _ map[string]string, eventType, reason, action, note string, args ...any,
) {
	r.Eventf(regarding, related, eventType, reason, action, note, args...)
}

// Eventf implements events.EventRecorder.
func (r *recorder) Eventf(regarding, _ runtime.Object, eventType, reason, _, _ string, _ ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name := "?"
	if object, err := meta.Accessor(regarding); err == nil {
		name = object.GetName()
	}
	r.lines = append(r.lines, fmt.Sprintf("%s %s of %s %s", eventType, reason, kindOf(regarding), name))
}
