package worker_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// TestLargeSecret has a Secret of the largest size: a file has it, and a variable is a condition with the remedy.
// Pod: POD-LIMIT-1
func TestLargeSecret(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	n.set("large", map[string]string{"key": strings.Repeat("x", corev1.MaxSecretSize)})
	file := podOf(corev1.RestartPolicyNever, "wc -c < /large/key | tr -d ' '")
	file.Spec.Volumes = []corev1.Volume{secretVolume("large", "large")}
	file.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "large", MountPath: "/large"}}
	w := n.start(file)
	awaitPhase(t, w, corev1.PodSucceeded)
	if got := logOf(t, w, "a", false); got != "1048576\n" {
		t.Errorf("log %q", got)
	}
	variable := podOf(corev1.RestartPolicyNever, "true")
	variable.Spec.Containers[0].Env = []corev1.EnvVar{secretEnv("LARGE", "large", "key")}
	failed := awaitPhase(t, newNodeLike(t, n).start(variable), corev1.PodFailed).Status.ContainerStatuses[0].State.Terminated
	const want = "variable LARGE has 1048576 bytes: mount large values as files"
	if failed == nil || failed.Reason != "StartError" || !strings.HasSuffix(failed.Message, want) {
		t.Errorf("state %+v, want a StartError with %q", failed, want)
	}
}

// newNodeLike returns another node with the same Secrets.
func newNodeLike(t *testing.T, n *node) *node {
	t.Helper()
	other := newNode(t)
	other.secrets = n.secrets
	return other
}
