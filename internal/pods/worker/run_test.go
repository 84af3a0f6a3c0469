package worker_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

// TestRun runs Pods to their ends.
// Pod: POD-END-2, POD-MESSAGE-1
func TestRun(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		pod     *corev1.Pod
		phase   corev1.PodPhase
		reason  string // of container a
		code    int32
		logs    map[string]string
		message string
	}{
		"Completed": {
			pod: podOf(corev1.RestartPolicyNever, "echo one; echo two >&2"), phase: corev1.PodSucceeded, reason: "Completed",
			logs: map[string]string{"a": "one\ntwo\n"},
		},
		"Failed": {pod: podOf(corev1.RestartPolicyNever, "exit 3", "true"), phase: corev1.PodFailed, reason: "Error", code: 3},
		"Signal": {pod: podOf(corev1.RestartPolicyNever, "kill -9 $$$$"), phase: corev1.PodFailed, reason: "Error", code: 137},
		"NoProgram": {
			pod:   with(podOf(corev1.RestartPolicyNever, ""), func(c *corev1.Container) { c.Command = []string{"/no/such/program"} }),
			phase: corev1.PodFailed, reason: "StartError", code: 128, message: "fork/exec /no/such/program: no such file or directory",
		},
		"OnFailure": {
			pod:   podOf(corev1.RestartPolicyOnFailure, "test -e $HOME/../../marker && exit 0; touch $HOME/../../marker; exit 1"),
			phase: corev1.PodSucceeded, reason: "Completed",
		},
		"Expansion": {
			pod: with(podOf(corev1.RestartPolicyNever, "echo $(X)"), func(c *corev1.Container) {
				c.Env = []corev1.EnvVar{{Name: "X", Value: "1"}}
			}),
			phase: corev1.PodSucceeded, reason: "Completed", logs: map[string]string{"a": "1\n"},
		},
		"WorkingDir": {
			pod: with(podOf(corev1.RestartPolicyNever, `test "$PWD" = "$HOME/srv/app" && echo right`), func(c *corev1.Container) {
				c.WorkingDir = "/srv/app"
			}),
			phase: corev1.PodSucceeded, reason: "Completed", logs: map[string]string{"a": "right\n"},
		},
		"Message": {
			pod: podOf(corev1.RestartPolicyNever, "echo why >/dev/termination-log; exit 1"), phase: corev1.PodFailed,
			reason: "Error", code: 1, message: "why\n",
		},
		"MessageOfLog": {
			pod: with(podOf(corev1.RestartPolicyNever, "echo why; exit 1"), func(c *corev1.Container) {
				c.TerminationMessagePolicy = corev1.TerminationMessageFallbackToLogsOnError
			}), phase: corev1.PodFailed, reason: "Error", code: 1, message: "why\n",
		},
		"Leftover": {pod: podOf(corev1.RestartPolicyNever, "sleep 600 & exit 0"), phase: corev1.PodSucceeded, reason: "Completed"},
		"Deadline": {
			pod: func() *corev1.Pod {
				pod := podOf(corev1.RestartPolicyAlways, "exec sleep 600")
				pod.Spec.ActiveDeadlineSeconds = new(int64(1))
				return pod
			}(), phase: corev1.PodFailed, reason: "Error", code: 143,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newNode(t)
			w := n.start(test.pod)
			pod := awaitPhase(t, w, test.phase)
			<-w.Done()
			if diff := cmp.Diff(pod.Status, n.last.Status); diff != "" {
				t.Errorf("the last report differs from the Pod (-want +got):\n%s", diff)
			}
			state := pod.Status.ContainerStatuses[0].State.Terminated
			if state == nil || state.Reason != test.reason || state.ExitCode != test.code || state.Message != test.message {
				t.Errorf("container a: %+v, want %s, exit code %d, message %q", state, test.reason, test.code, test.message)
			}
			got := map[string]string{}
			for container := range test.logs {
				got[container] = logOf(t, w, container, false)
			}
			if test.logs != nil {
				if diff := cmp.Diff(test.logs, got); diff != "" {
					t.Errorf("logs (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func with(pod *corev1.Pod, change func(*corev1.Container)) *corev1.Pod {
	change(&pod.Spec.Containers[0])
	return pod
}
