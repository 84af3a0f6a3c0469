package main_test

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/internal/instance"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// stubborn ignores signals, floods its output, and leaves a process in the background whose parent has ended.
const stubborn = `trap "" TERM HUP INT
(sh -c 'trap "" TERM HUP INT; while :; do sleep 0.1; done' "$0" &)
while :; do echo flood; sleep 0.01; done`

// TestPodsEnd ends emulators with Pods that resist: nothing is left after down, and after kill -9 of the emulator.
// Pod: POD-LIMIT-4
func TestPodsEnd(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*home, instance.Info){
		"Down": func(h *home, _ instance.Info) { h.must("down") },
		"Kill": func(h *home, info instance.Info) { kill(h.t, info.PID) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			info := h.up("--pods", "--image", "busybox=", "--control-plane", "embedded", "--no-fake-driver")
			c := connect(t, info.Kubeconfig)
			mark := h.dir + "/stubborn"
			pod := &corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "stubborn"},
				Spec: corev1.PodSpec{TerminationGracePeriodSeconds: new(int64(1)), Containers: []corev1.Container{
					{Name: "app", Image: "busybox", Command: []string{"sh", "-c", stubborn, mark}},
				}},
			}
			harness.Eventually(t, "the Pod is created", func(ctx context.Context) error { return c.client.Create(ctx, pod) })
			harness.Eventually(t, "the Pod and its process in the background run", func(ctx context.Context) error {
				err := c.client.Get(ctx, client.ObjectKeyFromObject(pod), pod)
				if running := harness.Processes(t, mark); err == nil && len(running) != 2 {
					return fmt.Errorf("%q run, and the Pod is %s", running, pod.Status.Phase)
				}
				return err
			})
			end(h, info)
			harness.Eventually(t, "all processes have ended", func(context.Context) error {
				if left := harness.Processes(t, mark); len(left) > 0 {
					return fmt.Errorf("left: %q", left)
				}
				return nil
			})
			h.run("down") // the files of a killed emulator
			h.expectNothingLeft()
		})
	}
}
