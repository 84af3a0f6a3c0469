package worker

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// TestReportsKeepOrder: no other change can happen before a change is reported, so that an older status never
// replaces a later one.
func TestReportsKeepOrder(t *testing.T) {
	t.Parallel()
	w := &Worker{pod: &corev1.Pod{}}
	reports := 0
	w.config.Notify = func(*corev1.Pod) {
		reports++
		if w.reporting.TryLock() {
			w.reporting.Unlock()
			t.Error("another change can be reported first")
		}
	}
	w.change(func() {})
	if reports != 1 {
		t.Errorf("%d reports, want 1", reports)
	}
}
