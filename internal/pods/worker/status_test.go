package worker_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestResume starts Pods that ran before their node stopped.
// Pod: POD-NODE-1
func TestResume(t *testing.T) {
	t.Parallel()
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now()}}
	completed := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed"}}
	for name, test := range map[string]struct {
		policy corev1.RestartPolicy
		before corev1.ContainerState
		want   corev1.PodPhase
		count  int32
	}{
		"RunningAlways":      {corev1.RestartPolicyAlways, running, corev1.PodRunning, 5},
		"RunningNever":       {corev1.RestartPolicyNever, running, corev1.PodFailed, 4},
		"CompletedOnFailure": {corev1.RestartPolicyOnFailure, completed, corev1.PodSucceeded, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pod := podOf(test.policy, "exec sleep 600")
			pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "a", State: test.before, RestartCount: 4}}
			w := newNode(t).start(pod)
			if got := awaitPhase(t, w, test.want).Status.ContainerStatuses[0].RestartCount; got != test.count {
				t.Errorf("restart count %d, want %d", got, test.count)
			}
		})
	}
}
