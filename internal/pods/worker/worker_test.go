package worker_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/cosi-emu/cosi-emu/internal/pods/image"
	"github.com/cosi-emu/cosi-emu/internal/pods/worker"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// node is what a worker needs from its node. Secrets are its only objects.
type node struct {
	t       *testing.T
	dir     string
	mu      sync.Mutex
	secrets map[string]map[string][]byte
	events  []string
	steps   []string
	last    *corev1.Pod // reported
}

func newNode(t *testing.T) *node {
	t.Helper()
	return &node{t: t, dir: t.TempDir(), secrets: map[string]map[string][]byte{}}
}

func (n *node) set(name string, data map[string]string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.secrets[name] = map[string][]byte{}
	for key, value := range data {
		n.secrets[name][key] = []byte(value)
	}
}

func (n *node) Secret(_ context.Context, _, name string) (*corev1.Secret, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	data, ok := n.secrets[name]
	if !ok {
		return nil, apierrors.NewNotFound(corev1.Resource("secrets"), name)
	}
	return &corev1.Secret{Data: data}, nil
}

func (*node) ConfigMap(_ context.Context, _, name string) (*corev1.ConfigMap, error) {
	return nil, apierrors.NewNotFound(corev1.Resource("configmaps"), name)
}

func (*node) Token(context.Context, *corev1.Pod, string, time.Duration) (string, time.Time, error) {
	return "token", time.Now().Add(time.Hour), nil
}

type run struct {
	node      *node
	component string
}

func (r run) Begin(context.Context) error {
	r.Record("start", "")
	return nil
}

func (r run) Record(step, _ string) {
	r.node.mu.Lock()
	defer r.node.mu.Unlock()
	r.node.steps = append(r.node.steps, r.component+" "+step)
}

// start starts a Pod, which the test ends.
func (n *node) start(pod *corev1.Pod) *worker.Worker {
	pod.Namespace, pod.Name = "shop", "app"
	pod.UID = uuid.NewUUID()
	w := worker.Start(worker.Config{
		Sources: n, Dir: n.dir, Environment: []string{"PATH=" + os.Getenv("PATH")},
		Images: image.Images{{Pattern: "none"}},
		Notify: func(pod *corev1.Pod) {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.last = pod
		},
		Event: func(_ *corev1.Pod, _, reason, message string) {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.events = append(n.events, reason+": "+message)
		},
		NewRun:  func(component string, _ int) worker.Run { return run{n, component} },
		BackOff: time.Millisecond, MaxBackOff: 50 * time.Millisecond,
	}, pod)
	n.t.Cleanup(w.Stop)
	return w
}

func (n *node) hasEvent(text string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.ContainsFunc(n.events, func(e string) bool { return strings.Contains(e, text) })
}

// podOf returns a Pod whose containers run scripts. The first is named "a", the next "b".
func podOf(policy corev1.RestartPolicy, scripts ...string) *corev1.Pod {
	pod := &corev1.Pod{Spec: corev1.PodSpec{RestartPolicy: policy}}
	for i, script := range scripts {
		pod.Spec.Containers = append(pod.Spec.Containers, shell(string(rune('a'+i)), script))
	}
	return pod
}

// shell returns a container that runs a script.
func shell(name, script string) corev1.Container {
	return corev1.Container{Name: name, Image: "none", Command: []string{"sh", "-c", script}}
}

func logOf(t *testing.T, w *worker.Worker, container string, previous bool) string {
	t.Helper()
	log, err := w.Log(container, previous)
	if err != nil {
		return "error: " + err.Error()
	}
	var out bytes.Buffer
	if err := log.Read(t.Context(), &corev1.PodLogOptions{}, &out); err != nil {
		return "error: " + err.Error()
	}
	return out.String()
}

func awaitPhase(t *testing.T, w *worker.Worker, phase corev1.PodPhase) *corev1.Pod {
	t.Helper()
	var pod *corev1.Pod
	harness.Eventually(t, "phase "+string(phase), func(context.Context) error {
		if pod = w.Pod(); pod.Status.Phase != phase {
			return fmt.Errorf("it is %s: %v", pod.Status.Phase, pod.Status.ContainerStatuses)
		}
		return nil
	})
	return pod
}

func secretEnv(name, secret, key string) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
		LocalObjectReference: corev1.LocalObjectReference{Name: secret}, Key: key,
	}}}
}

func secretVolume(name, secret string) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: secret}}}
}

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

// TestExec runs commands beside a container.
// Pod: POD-EXEC-1
func TestExec(t *testing.T) {
	t.Parallel()
	w := newNode(t).start(with(podOf(corev1.RestartPolicyAlways, "exec sleep 600"), func(c *corev1.Container) {
		c.Env = []corev1.EnvVar{{Name: "X", Value: "1"}}
	}))
	awaitPhase(t, w, corev1.PodRunning)
	var out, errs bytes.Buffer
	err := w.Exec(t.Context(), "a", []string{"sh", "-c", "cat; echo $X; echo no >&2; exit 5"}, strings.NewReader("in "), &out, &errs)
	if diff := cmp.Diff([]string{"in 1\n", "no\n", "exit status 5"}, []string{out.String(), errs.String(), fmt.Sprint(err)}); diff != "" {
		t.Errorf("output, errors and exit (-want +got):\n%s", diff)
	}
	if err := w.Exec(t.Context(), "b", []string{"true"}, nil, &out, &errs); err == nil {
		t.Error("a command runs in a container that does not exist")
	}
}
