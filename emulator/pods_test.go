package emulator_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/remotecommand"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/emulatortest"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// shell is an image without entrypoint, for containers with a command.
const shell = "busybox:1.37"

// podStory is a story whose application is a Pod.
type podStory struct {
	*story

	kube kubernetes.Interface
}

func newPodStory(t *testing.T, emu *emulator.Emulator) *podStory {
	t.Helper()
	kube, err := kubernetes.NewForConfig(emu.Config())
	if err != nil {
		t.Fatal(err)
	}
	s := &podStory{newStory(t, emu), kube}
	harness.Eventually(t, "ServiceAccount default", func(ctx context.Context) error {
		_, err := kube.CoreV1().ServiceAccounts(s.claim.Namespace).Get(ctx, "default", metav1.GetOptions{})
		return err
	})
	return s
}

// startWithPods starts an emulator that runs Pods.
func startWithPods(t *testing.T) *emulator.Emulator {
	t.Helper()
	return emulatortest.Start(t, emulator.Options{
		Pods: true, ControlPlaneKind: emulator.ControlPlaneEmbedded, Images: []emulator.Image{{Pattern: "busybox"}},
	})
}

// pod returns a Pod with a container "app" that runs a script.
func (s *podStory) pod(name, script string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.claim.Namespace, Name: name},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever, TerminationGracePeriodSeconds: new(int64(1)),
			Containers: []corev1.Container{{Name: "app", Image: shell, Command: []string{"sh", "-c", script}}},
		},
	}
}

// await waits until a Pod is as expected.
func (s *podStory) await(pod *corev1.Pod, what string, right func(*corev1.Pod) bool) {
	s.t.Helper()
	current := &corev1.Pod{}
	harness.Eventually(s.t, what, func(ctx context.Context) error {
		if err := s.emu.Client().Get(ctx, client.ObjectKeyFromObject(pod), current); err != nil {
			return err
		}
		if !right(current) {
			return fmt.Errorf("the Pod has the status %+v", current.Status)
		}
		return nil
	})
}

func phase(want corev1.PodPhase) func(*corev1.Pod) bool {
	return func(p *corev1.Pod) bool { return p.Status.Phase == want }
}

func isReady(p *corev1.Pod) bool {
	return slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

func isRestarted(p *corev1.Pod) bool {
	return p.Status.ContainerStatuses[0].RestartCount == 1 && isReady(p)
}

func (s *podStory) logs(pod *corev1.Pod, options corev1.PodLogOptions) string {
	s.t.Helper()
	data, err := s.kube.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, &options).DoRaw(s.t.Context())
	if err != nil {
		s.t.Errorf("logs of %s: %v", pod.Name, err)
	}
	return string(data)
}

// awaitEvent waits for an Event about a Pod.
func (s *podStory) awaitEvent(pod *corev1.Pod, reason, text string) {
	s.t.Helper()
	harness.Eventually(s.t, "Event "+reason, func(ctx context.Context) error {
		events, err := s.kube.CoreV1().Events(pod.Namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(events.Items, func(e corev1.Event) bool {
			return e.InvolvedObject.Name == pod.Name && e.Reason == reason && strings.Contains(e.Message, text)
		}) {
			return fmt.Errorf("no such Event among %d", len(events.Items))
		}
		return nil
	})
}

// TestPodReadsSecret runs an application that is there before its access: it starts when the Secret exists, and reads
// it as variables and as a file.
// Pod: POD-VOLUME-1
func TestPodReadsSecret(t *testing.T) {
	t.Parallel()
	s := newPodStory(t, startWithPods(t))
	pod := s.pod("photos", `echo "$BUCKET_NAME"; cat /creds/BUCKET_NAME; echo; cat "$HOME/creds/BUCKET_NAME"; echo`)
	// The Secret is empty at first: a variable of one key waits for it, and envFrom would not.
	secret := corev1.LocalObjectReference{Name: s.access.Spec.BucketClaims[0].AccessSecretName}
	key := v1alpha2.SecretKeyBucketName
	pod.Spec.Containers[0].Env = []corev1.EnvVar{{Name: key, ValueFrom: &corev1.EnvVarSource{
		SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: secret, Key: key},
	}}}
	pod.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "creds", MountPath: "/creds", ReadOnly: true}}
	pod.Spec.Volumes = []corev1.Volume{{Name: "creds", VolumeSource: corev1.VolumeSource{
		Secret: &corev1.SecretVolumeSource{SecretName: secret.Name, Items: []corev1.KeyToPath{{Key: key, Path: key}}},
	}}}
	s.create(pod)
	s.awaitEvent(pod, "FailedMount", "not found")
	s.create(s.claim, s.access)
	s.await(pod, "end of the application", phase(corev1.PodSucceeded))
	bucket := s.secret()[v1alpha2.SecretKeyBucketName]
	if diff := cmp.Diff(strings.Repeat(bucket+"\n", 3), s.logs(pod, corev1.PodLogOptions{})); diff != "" {
		t.Errorf("output of the application (-want +got):\n%s", diff)
	}
}

// TestPodAccess reads logs of a running Pod, runs a command in it, and deletes it with its namespace.
// Pod: POD-EXEC-1, POD-LOGS-1
func TestPodAccess(t *testing.T) {
	t.Parallel()
	s := newPodStory(t, startWithPods(t))
	pod := s.pod("app", "echo one; echo two; exec sleep 600")
	pod.Spec.RestartPolicy = corev1.RestartPolicyAlways
	s.create(pod)
	s.await(pod, "readiness", isReady)
	harness.Eventually(t, "the log", func(context.Context) error {
		if got := s.logs(pod, corev1.PodLogOptions{TailLines: new(int64(1))}); got != "two\n" {
			return fmt.Errorf("the last line is %q", got)
		}
		return nil
	})
	out, err := s.exec(pod, "sh", "-c", "echo $HOSTNAME; exit 3")
	if out != "app\n" || err == nil || !strings.Contains(err.Error(), "exit code 3") {
		t.Errorf("exec: output %q, error %v", out, err)
	}
	const component = "pod/%s/app/app"
	if err := s.emu.Component(fmt.Sprintf(component, pod.Namespace)).Crash(); err != nil {
		t.Fatal(err)
	}
	s.await(pod, "restart", isRestarted)
	ended := s.pod("ended", "true")
	s.create(ended)
	s.await(ended, "end of another Pod", phase(corev1.PodSucceeded))
	if err := s.emu.Client().Delete(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: pod.Namespace}}); err != nil {
		t.Fatal(err)
	}
	harness.Eventually(t, "the end of the Pod", func(ctx context.Context) error {
		if err := s.emu.Client().Get(ctx, client.ObjectKeyFromObject(pod), &corev1.Pod{}); !apierrors.IsNotFound(err) {
			return fmt.Errorf("the Pod exists: %w", err)
		}
		return nil
	})
	harness.Eventually(t, "the end of its files", func(context.Context) error {
		if left, err := os.ReadDir(filepath.Join(s.emu.Info().Dir, "pods")); err != nil || len(left) > 0 {
			return fmt.Errorf("error %v, and %d directories", err, len(left)) //nolint:errorlint // there may be none
		}
		return nil
	})
	harness.Eventually(t, "the end of all files", func(context.Context) error {
		left, err := os.ReadDir(filepath.Join(s.emu.Info().Dir, "pods"))
		if len(left) > 0 {
			return fmt.Errorf("%d Pods have files", len(left))
		}
		return err
	})
	if diff := cmp.Diff([]string{"start 1", "crash 1", "start 2", "stop 2"}, s.steps(fmt.Sprintf(component, pod.Namespace))); diff != "" {
		t.Errorf("steps in the journal (-want +got):\n%s", diff)
	}
}

// steps returns the steps of a process in the journal, with its incarnations.
func (s *podStory) steps(component string) []string {
	var steps []string
	for _, e := range s.emu.Journal().Since(0) {
		if e.Seam == journal.SeamProcess && e.Component == component {
			steps = append(steps, fmt.Sprint(e.Operation.Name, " ", e.Incarnation))
		}
	}
	return steps
}

func (s *podStory) exec(pod *corev1.Pod, command ...string) (string, error) {
	s.t.Helper()
	options := &corev1.PodExecOptions{Container: "app", Command: command, Stdout: true, Stderr: true}
	target := s.kube.CoreV1().RESTClient().Post().Resource("pods").Namespace(pod.Namespace).Name(pod.Name).SubResource("exec").
		VersionedParams(options, clientgoscheme.ParameterCodec).URL()
	executor, err := remotecommand.NewSPDYExecutor(s.emu.Config(), "POST", target)
	if err != nil {
		s.t.Fatal(err)
	}
	var out, errs bytes.Buffer
	err = executor.StreamWithContext(s.t.Context(), remotecommand.StreamOptions{Stdout: &out, Stderr: &errs})
	return out.String() + errs.String(), err
}

// TestPodToken gives a Pod the token of its ServiceAccount, which a client finds by KUBECONFIG.
// Pod: POD-TOKEN-1
func TestPodToken(t *testing.T) {
	t.Parallel()
	s := newPodStory(t, startWithPods(t))
	pod := s.pod("app", `cat /var/run/secrets/kubernetes.io/serviceaccount/namespace; echo; grep -c "tokenFile: $HOME" "$KUBECONFIG"
		test -s /var/run/secrets/kubernetes.io/serviceaccount/token && test -s /var/run/secrets/kubernetes.io/serviceaccount/ca.crt`)
	s.create(pod)
	s.await(pod, "end of the Pod", phase(corev1.PodSucceeded))
	if got := s.logs(pod, corev1.PodLogOptions{}); got != pod.Namespace+"\n1\n" {
		t.Errorf("output %q", got)
	}
}

// TestPodRejected creates Pods that the node cannot run. Each has a condition that tells why.
// Pod: POD-REJECT-1, POD-REJECT-2
func TestPodRejected(t *testing.T) {
	t.Parallel()
	emu := startWithPods(t)
	scheduled := func(p *corev1.Pod) string {
		for _, c := range p.Status.Conditions {
			if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
				return c.Message
			}
		}
		return ""
	}
	waits := func(statuses func(*corev1.Pod) []corev1.ContainerStatus) func(*corev1.Pod) string {
		return func(p *corev1.Pod) string {
			if all := statuses(p); len(all) > 0 && all[0].State.Waiting != nil {
				return all[0].State.Waiting.Reason + ": " + all[0].State.Waiting.Message
			}
			return ""
		}
	}
	volume := func(source corev1.VolumeSource) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: source}} }
	}
	for name, test := range map[string]struct {
		change func(*corev1.Pod)
		reason func(*corev1.Pod) string
		want   string
	}{
		"HostPath": {volume(corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/"}}), scheduled, `volume "v" is a hostPath`},
		"VolumeClaim": {
			volume(corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "c"}}),
			scheduled, `it does not serve the kind of volume "v"; use secret`,
		},
		"Privileged": {func(p *corev1.Pod) {
			p.Spec.Containers[0].SecurityContext = &corev1.SecurityContext{Privileged: new(true)}
		}, scheduled, `container "app" cannot be privileged`},
		"GPU": {func(p *corev1.Pod) {
			p.Spec.Containers[0].Resources.Limits = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("1")}
		}, scheduled, "1 Insufficient nvidia.com/gpu"},
		"NodeSelector": {
			func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{"disk": "ssd"} },
			scheduled, "didn't match Pod's node affinity/selector",
		},
		"Image": {
			func(p *corev1.Pod) { p.Spec.Containers[0].Image = "nginx:1" },
			waits(func(p *corev1.Pod) []corev1.ContainerStatus { return p.Status.ContainerStatuses }),
			"ErrImageNeverPull: no command of this machine is mapped to image \"nginx:1\"",
		},
		"InitImage": {
			func(p *corev1.Pod) { p.Spec.InitContainers = []corev1.Container{{Name: "init", Image: "nginx"}} },
			waits(func(p *corev1.Pod) []corev1.ContainerStatus { return p.Status.InitContainerStatuses }), "--image nginx=COMMAND",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newPodStory(t, emu)
			pod := s.pod("app", "true")
			test.change(pod)
			s.create(pod)
			s.await(pod, test.want, func(p *corev1.Pod) bool {
				return strings.Contains(test.reason(p), test.want) && p.Status.Phase == corev1.PodPending
			})
		})
	}
}

// TestNodeLoss stops the node with its Pods, and starts it again.
// Pod: POD-NODE-1
func TestNodeLoss(t *testing.T) {
	t.Parallel()
	s := newPodStory(t, startWithPods(t))
	always, once := s.pod("always", "exec sleep 600"), s.pod("once", "exec sleep 600")
	always.Spec.RestartPolicy = corev1.RestartPolicyAlways
	s.create(always, once)
	s.await(always, "start", phase(corev1.PodRunning))
	s.await(once, "start", phase(corev1.PodRunning))
	node := s.emu.Component(emulator.ComponentNode)
	if err := errors.Join(node.Crash(), node.Start(t.Context())); err != nil {
		t.Fatal(err)
	}
	s.await(always, "restart", isRestarted)
	s.await(once, "end", phase(corev1.PodFailed))
}

// TestPodsRejectedOptions rejects options before anything starts.
func TestPodsRejectedOptions(t *testing.T) {
	t.Parallel()
	_, err := emulator.Start(t.Context(), emulator.Options{Images: []emulator.Image{{Pattern: "busybox"}}})
	if !errors.Is(err, emulator.ErrOptions) {
		t.Errorf("error %v, want ErrOptions", err)
	}
}
