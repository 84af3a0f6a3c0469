package emulator_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// readsAccess gives the Pods of the story the rights that the node adapter needs.
func (s *podStory) readsAccess() {
	s.t.Helper()
	meta := metav1.ObjectMeta{Namespace: s.claim.Namespace, Name: "photos"}
	s.create(
		&rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{v1alpha2.GroupName}, Resources: []string{"bucketaccesses"}, Verbs: []string{"get", "watch"}},
			{APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"get"}},
		}},
		&rbacv1.RoleBinding{
			ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: meta.Name},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: meta.Namespace, Name: "default"}},
		})
}

// podWithAccess returns a Pod whose container has the access of the story at /photos.
func (s *podStory) podWithAccess(name, script string) *corev1.Pod {
	pod := s.pod(name, script)
	pod.Spec.Volumes = []corev1.Volume{{Name: "photos", VolumeSource: corev1.VolumeSource{CSI: &corev1.CSIVolumeSource{
		Driver: "objectstorage.k8s.io", ReadOnly: new(true), VolumeAttributes: map[string]string{"bucketAccess": s.access.Name},
	}}}}
	pod.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "photos", MountPath: "/photos", ReadOnly: true}}
	return pod
}

// awaitUse waits until the access has the condition InUse with a status.
func (s *podStory) awaitUse(want metav1.ConditionStatus) {
	s.t.Helper()
	harness.Eventually(s.t, "condition InUse "+string(want), func(ctx context.Context) error {
		if err := s.emu.Client().Get(ctx, client.ObjectKeyFromObject(s.access), s.access); err != nil {
			return err
		}
		if c := apimeta.FindStatusCondition(s.access.Status.Conditions, "InUse"); c == nil || c.Status != want {
			return fmt.Errorf("condition %+v", c)
		}
		return nil
	})
}

// awaitLog waits for the output of a Pod.
func (s *podStory) awaitLog(pod *corev1.Pod, want string) {
	s.t.Helper()
	harness.Eventually(s.t, "the output "+want, func(context.Context) error {
		if diff := cmp.Diff(want, s.logs(pod, corev1.PodLogOptions{})); diff != "" {
			return errors.New(diff)
		}
		return nil
	})
}

// TestPodAccessVolume gives a Pod the files of its access by the node adapter: the Pod waits for the access, the files
// follow the Secret, and the access waits for the Pod.
// Pod: POD-CSI-1
func TestPodAccessVolume(t *testing.T) {
	t.Parallel()
	s := newPodStory(t, startWithPods(t))
	s.readsAccess()
	pod := s.podWithAccess("photos", `cat /photos/BUCKET_NAME; echo; last=
		while :; do region=$(cat /photos/AWS_DEFAULT_REGION); [ "$region" = "$last" ] || echo "$region"; last=$region; sleep 0.02; done`)
	s.create(pod)
	s.awaitEvent(pod, "FailedMount", `MountVolume.SetUp failed for volume "photos" : rpc error: code = NotFound`)
	s.create(s.claim, s.access)
	s.await(pod, "readiness", isReady)
	secret := s.secret()
	want := secret[v1alpha2.SecretKeyBucketName] + "\n" + secret[v1alpha2.SecretKeyS3Region] + "\n"
	s.awaitLog(pod, want)
	s.awaitUse(metav1.ConditionTrue)

	sidecar := s.emu.Component(emulator.ComponentSidecar) // which would restore the Secret
	if err := sidecar.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.changeSecret(v1alpha2.SecretKeyS3Region, "elsewhere")
	s.awaitLog(pod, want+"elsewhere\n")
	if err := sidecar.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.delete(s.access)
	harness.Eventually(t, "the access waits for the Pod", func(ctx context.Context) error {
		if err := s.emu.Client().Get(ctx, client.ObjectKeyFromObject(s.access), s.access); err != nil {
			return err
		}
		if c := apimeta.FindStatusCondition(s.access.Status.Conditions, "ResourcesValidated"); c == nil || c.Reason != "DeletionBlocked" {
			return fmt.Errorf("condition %+v", c)
		}
		return nil
	})
	s.delete(pod)
	s.waitGone(pod)
	s.waitGone(s.access)
}

func (s *podStory) changeSecret(key, value string) {
	s.t.Helper()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
		Namespace: s.access.Namespace, Name: s.access.Spec.BucketClaims[0].AccessSecretName,
	}}
	patch := client.RawPatch("application/merge-patch+json", fmt.Appendf(nil, `{"stringData":{%q:%q}}`, key, value))
	if err := s.emu.Client().Patch(s.t.Context(), secret, patch); err != nil {
		s.t.Fatal(err)
	}
}

// TestPodAccessVolumeCrash crashes the node adapter: a new Pod waits for it, and a deleted one ends once it has removed
// the volume.
// Pod: POD-CSI-2
func TestPodAccessVolumeCrash(t *testing.T) {
	t.Parallel()
	s := newPodStory(t, startWithPods(t))
	s.readsAccess()
	s.create(s.claim, s.access)
	s.waitReady()
	first, second := s.podWithAccess("first", "exec sleep 600"), s.podWithAccess("second", "exec cat /photos/BUCKET_NAME")
	s.create(first)
	s.await(first, "readiness", isReady)
	adapter := s.emu.Component(emulator.ComponentNodeAdapter)
	if err := adapter.Crash(); err != nil {
		t.Fatal(err)
	}
	s.create(second)
	s.awaitEvent(second, "FailedMount", "rpc error: code = Unavailable")
	s.delete(first)
	s.awaitEvent(first, "FailedUnmount", `UnmountVolume.TearDown failed for volume "photos"`)
	if err := adapter.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.await(second, "end of the Pod", phase(corev1.PodSucceeded))
	s.waitGone(first)
	s.awaitUse(metav1.ConditionFalse)
	harness.Eventually(t, "no record of a volume", func(context.Context) error {
		left, err := os.ReadDir(filepath.Join(s.emu.Info().Dir, "node-adapter"))
		if len(left) > 0 {
			return fmt.Errorf("%d records", len(left))
		}
		return err
	})
}

// TestPodForeignVolume has volumes that no driver, or not the node adapter, makes.
// Pod: POD-CSI-3
func TestPodForeignVolume(t *testing.T) {
	t.Parallel()
	s := newPodStory(t, startWithPods(t))
	foreign, wrong, forbidden := s.podWithAccess("foreign", "true"), s.podWithAccess("wrong", "true"), s.podWithAccess("forbidden", "true")
	foreign.Spec.Volumes[0].CSI.Driver = "csi.example.com"
	wrong.Spec.Volumes[0].CSI.VolumeAttributes["size"] = "1Gi"
	s.create(s.claim, s.access, foreign, wrong, forbidden)
	for pod, text := range map[*corev1.Pod]string{
		foreign:   "driver name csi.example.com not found in the list of registered CSI drivers",
		wrong:     "unknown volumeAttributes.size",
		forbidden: "code = PermissionDenied",
	} {
		s.awaitEvent(pod, "FailedMount", text)
		s.delete(pod)
		s.waitGone(pod)
	}
}
