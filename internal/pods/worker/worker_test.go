package worker_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
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
