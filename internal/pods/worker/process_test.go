package worker_test

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestCrash kills a container, which runs again.
func TestCrash(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	w := n.start(podOf(corev1.RestartPolicyAlways, "exec sleep 600"))
	awaitPhase(t, w, corev1.PodRunning)
	if !w.Crash("a") {
		t.Fatal("the container does not run")
	}
	harness.Eventually(t, "the restart", func(context.Context) error {
		if s := w.Pod().Status.ContainerStatuses[0]; s.RestartCount != 1 || s.State.Running == nil {
			return fmt.Errorf("status %+v", s)
		}
		return nil
	})
	n.mu.Lock()
	defer n.mu.Unlock()
	const c = "pod/shop/app/a "
	if diff := cmp.Diff([]string{c + "start", c + "crash", c + "start"}, n.steps); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}

// TestTerminate ends Pods within their grace period.
// Pod: POD-END-1
func TestTerminate(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		script string
		grace  time.Duration
		code   int32
	}{
		"Obeys":   {"trap 'exit 7' TERM; echo ready; while :; do sleep 0.01; done", time.Hour, 7},
		"Ignores": {"trap '' TERM; echo ready; while :; do sleep 0.01; done", time.Millisecond, 137},
		"Forks":   {"trap '' TERM; (trap '' TERM; while :; do sleep 0.01; done) & echo ready; wait", time.Millisecond, 137},
		"Floods":  {"yes ready", time.Millisecond, 137},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newNode(t).start(podOf(corev1.RestartPolicyAlways, test.script))
			harness.Eventually(t, "output", func(context.Context) error {
				if log := logOf(t, w, "a", false); !strings.HasPrefix(log, "ready\n") {
					return fmt.Errorf("log %.20q", log)
				}
				return nil
			})
			w.Terminate(test.grace)
			<-w.Done()
			got := w.Pod().Status.ContainerStatuses[0].State.Terminated
			if got == nil || got.ExitCode != test.code && got.Signal != int32(syscall.SIGTERM) {
				t.Errorf("container a: %+v, want exit code %d", got, test.code)
			}
		})
	}
}

// TestShorterGrace deletes a Pod again, at once.
func TestShorterGrace(t *testing.T) {
	t.Parallel()
	w := newNode(t).start(podOf(corev1.RestartPolicyAlways, "trap '' TERM; echo ready; while :; do sleep 0.01; done"))
	awaitPhase(t, w, corev1.PodRunning)
	w.Terminate(time.Hour)
	w.Terminate(0)
	<-w.Done()
}
