package emulator_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestPodNames has names of the greatest length: 253 characters for objects and keys, 63 for containers and volumes.
// Pod: POD-LIMIT-2
func TestPodNames(t *testing.T) {
	t.Parallel()
	s := newPodStory(t, startWithPods(t))
	label := strings.Repeat("l", 63)
	long := strings.Join([]string{label, label, label, label[:61]}, ".")
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.claim.Namespace, Name: long}, StringData: map[string]string{long: "value"},
	}
	pod := s.pod(long, `echo "$HOSTNAME"; cat /v/*; echo "=$VALUE"`)
	pod.Spec.Volumes = []corev1.Volume{{Name: label, VolumeSource: corev1.VolumeSource{
		Secret: &corev1.SecretVolumeSource{SecretName: long},
	}}}
	app := &pod.Spec.Containers[0]
	app.Name, app.VolumeMounts = label, []corev1.VolumeMount{{Name: label, MountPath: "/v"}}
	app.Env = []corev1.EnvVar{{Name: "VALUE", ValueFrom: &corev1.EnvVarSource{
		SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: long}, Key: long},
	}}}
	s.create(secret, pod)
	s.await(pod, "end of the Pod", phase(corev1.PodSucceeded))
	if got := s.logs(pod, corev1.PodLogOptions{}); got != label+"\nvalue=value\n" {
		t.Errorf("output %q", got)
	}
}

// TestLongThousandPods creates a thousand Pods. The node runs as many as it has room for, and the others have a
// condition; after the end of the emulator, no process and no file is left.
// Pod: POD-LIMIT-3
func TestLongThousandPods(t *testing.T) {
	t.Parallel()
	const all, room = 1000, 110
	s := newPodStory(t, startWithPods(t))
	mark := filepath.Join(t.TempDir(), "thousand")
	for i := range all {
		pod := s.pod(fmt.Sprintf("pod-%d", i), "while :; do sleep 60; done")
		pod.Spec.Containers[0].Command = append(pod.Spec.Containers[0].Command, mark)
		s.create(pod)
	}
	list := &corev1.PodList{}
	harness.Eventually(t, "each Pod runs, or has a condition", func(ctx context.Context) error {
		if err := s.emu.Client().List(ctx, list, client.InNamespace(s.claim.Namespace)); err != nil {
			return err
		}
		running, waiting := 0, 0
		for i := range list.Items {
			switch pod := &list.Items[i]; {
			case isReady(pod):
				running++
			case slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
				return c.Type == corev1.PodScheduled && strings.HasSuffix(c.Message, "Too many pods")
			}):
				waiting++
			}
		}
		if running < room || running+waiting != all {
			return fmt.Errorf("%d Pods run and %d wait", running, waiting)
		}
		return nil
	})
	dir := s.emu.Info().Dir
	if err := s.emu.Stop(harness.Context(t)); err != nil {
		t.Fatal(err)
	}
	if left := harness.Processes(t, mark); len(left) > 0 {
		t.Errorf("%d processes are left", len(left))
	}
	if left, err := os.ReadDir(filepath.Join(dir, "pods")); len(left) > 0 {
		t.Errorf("%d Pods have files: %v", len(left), err)
	}
}
