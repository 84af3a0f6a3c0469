package worker_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestWaitsForSecret: a Pod waits until the Secret of an access exists, as a variable and as files, and has its new
// files when it changes.
// Pod: POD-ENV-1, POD-VOLUME-1, POD-VOLUME-3
func TestWaitsForSecret(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	const script = `until grep -q new /creds/KEY; do sleep 0.01; done; echo "$KEY $(cat /creds/KEY) $(cat /one)"`
	pod := with(podOf(corev1.RestartPolicyNever, script),
		func(c *corev1.Container) {
			c.Env = []corev1.EnvVar{secretEnv("KEY", "keys", "KEY")}
			c.VolumeMounts = []corev1.VolumeMount{
				{Name: "creds", MountPath: "/creds"}, {Name: "creds", MountPath: "/one", SubPath: "KEY"},
			}
		})
	pod.Spec.Volumes = []corev1.Volume{secretVolume("creds", "photos")}
	w := n.start(pod)
	harness.Eventually(t, "FailedMount", func(context.Context) error {
		if !n.hasEvent(`FailedMount: MountVolume.SetUp failed for volume "creds" : secret "photos" not found`) {
			return errors.New("no such Event")
		}
		return nil
	})
	n.set("photos", map[string]string{"KEY": "old"})
	w.Wake()
	harness.Eventually(t, "CreateContainerConfigError", func(context.Context) error {
		want := corev1.ContainerStateWaiting{Reason: "CreateContainerConfigError", Message: `secret "keys" not found`}
		if got := w.Pod().Status.ContainerStatuses[0].State.Waiting; got == nil || *got != want {
			return fmt.Errorf("the container waits with %+v, want %+v", got, want)
		}
		return nil
	})
	n.set("keys", map[string]string{"KEY": "id"})
	w.Wake()
	awaitPhase(t, w, corev1.PodRunning)
	n.set("photos", map[string]string{"KEY": "new"})
	w.Wake()
	awaitPhase(t, w, corev1.PodSucceeded)
	if got, want := logOf(t, w, "a", false), "id new old\n"; got != want {
		t.Errorf("log %q, want %q: a subPath keeps its content", got, want)
	}
}

// TestNoImage waits for an image with the flag that would map it.
// Pod: POD-REJECT-2
func TestNoImage(t *testing.T) {
	t.Parallel()
	w := newNode(t).start(with(podOf(corev1.RestartPolicyAlways, ""), func(c *corev1.Container) { c.Image = "example.com:5000/app:1" }))
	harness.Eventually(t, "ErrImageNeverPull", func(context.Context) error {
		got := w.Pod().Status.ContainerStatuses[0].State.Waiting
		if got.Reason != "ErrImageNeverPull" || !strings.Contains(got.Message, "--image example.com:5000/app=COMMAND") {
			return fmt.Errorf("the container waits with %+v", got)
		}
		return nil
	})
	if phase := w.Pod().Status.Phase; phase != corev1.PodPending {
		t.Errorf("the Pod is %s, want Pending", phase)
	}
}

// TestRestart counts restarts of a container that fails, with its back-off.
// Pod: POD-RESTART-1
func TestRestart(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	w := n.start(podOf(corev1.RestartPolicyAlways, "echo run; exit 1"))
	harness.Eventually(t, "CrashLoopBackOff", func(context.Context) error {
		s := w.Pod().Status.ContainerStatuses[0]
		waits := s.State.Waiting != nil && s.State.Waiting.Reason == "CrashLoopBackOff"
		if s.RestartCount < 3 || !waits || s.LastTerminationState.Terminated == nil {
			return fmt.Errorf("status %+v", s)
		}
		return nil
	})
	if got := logOf(t, w, "a", true); got != "run\n" {
		t.Errorf("the previous log is %q", got)
	}
}

// TestInit runs init containers in their order, beside a sidecar that ends last.
// Pod: POD-INIT-1, POD-VOLUME-2
func TestInit(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	pod := podOf(corev1.RestartPolicyNever, "cat /share/order; until test -e /share/side; do sleep 0.01; done")
	container := func(name, script string) corev1.Container {
		c := shell(name, script)
		c.VolumeMounts = []corev1.VolumeMount{{Name: "work", MountPath: "/share"}}
		return c
	}
	sidecar := container("side", "trap 'echo ended; exit 0' TERM; touch /share/side; while :; do sleep 0.01; done")
	sidecar.RestartPolicy = new(corev1.ContainerRestartPolicyAlways)
	pod.Spec.InitContainers = []corev1.Container{
		container("one", "echo one >>/share/order"), sidecar, container("two", "echo two >>/share/order"),
	}
	pod.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "work", MountPath: "/share"}}
	pod.Spec.Volumes = []corev1.Volume{{Name: "work", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
	pod.Spec.TerminationGracePeriodSeconds = new(int64(30))
	w := n.start(pod)
	awaitPhase(t, w, corev1.PodSucceeded)
	if got := logOf(t, w, "a", false); got != "one\ntwo\n" {
		t.Errorf("the init containers wrote %q", got)
	}
	if got := logOf(t, w, "side", false); got != "ended\n" {
		t.Errorf("the sidecar wrote %q: it gets SIGTERM", got)
	}
}
