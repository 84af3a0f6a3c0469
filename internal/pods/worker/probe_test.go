package worker_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestProbes has a container that becomes ready, and is restarted when it is not alive.
// Pod: POD-PROBE-1
func TestProbes(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	probe := func(script string) *corev1.Probe {
		exec := &corev1.ExecAction{Command: []string{"sh", "-c", script}}
		return &corev1.Probe{ProbeHandler: corev1.ProbeHandler{Exec: exec}, FailureThreshold: 1}
	}
	pod := with(podOf(corev1.RestartPolicyAlways, "touch /share/started; exec sleep 600"), func(c *corev1.Container) {
		c.StartupProbe, c.ReadinessProbe = probe("test -e /share/started"), probe("test -e /share/ready")
		c.LivenessProbe = probe("test ! -e /share/dead")
		c.StartupProbe.FailureThreshold = 1000 // it is slower on a busy machine
		c.VolumeMounts = []corev1.VolumeMount{{Name: "work", MountPath: "/share"}}
	})
	pod.Spec.Volumes = []corev1.Volume{{Name: "work", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
	w := n.start(pod)
	work := filepath.Join(n.dir, string(w.Pod().UID), "volumes", "work")
	status := func(text string, right func(corev1.ContainerStatus) bool) {
		t.Helper()
		harness.Eventually(t, text, func(context.Context) error {
			if s := w.Pod().Status.ContainerStatuses[0]; !right(s) {
				return fmt.Errorf("status %+v", s)
			}
			return nil
		})
	}
	status("started, and not ready", func(s corev1.ContainerStatus) bool { return *s.Started && !s.Ready && s.State.Running != nil })
	touch(t, filepath.Join(work, "ready"))
	status("ready", func(s corev1.ContainerStatus) bool { return s.Ready })
	touch(t, filepath.Join(work, "dead"))
	status("restarted", func(s corev1.ContainerStatus) bool { return s.RestartCount > 0 })
	if !n.hasEvent("Unhealthy: Liveness probe failed") {
		t.Error("no Event about the liveness probe")
	}
}

func touch(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}
