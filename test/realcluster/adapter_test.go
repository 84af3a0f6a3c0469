package realcluster_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/test/deploytest"
	"github.com/cosi-emu/cosi-emu/test/harness"
	"github.com/cosi-emu/cosi-emu/test/realcluster"
)

const (
	adapterDir = "../../deploy/node"
	adapterApp = "cosi-node"
	// sharedName is the access in the example of the node adapter.
	sharedName = "photos-rw"
)

// volumeApplication is the Pod in the example of the node adapter, with an image that is here.
const volumeApplication = `
apiVersion: v1
kind: Pod
metadata: {name: volume, namespace: %[1]s}
spec:
  terminationGracePeriodSeconds: 5
  serviceAccountName: photos-app
  automountServiceAccountToken: false
  securityContext: {runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000, seccompProfile: {type: RuntimeDefault}}
  containers:
  - name: app
    image: %[2]s
    args: [serve, --files=/cosi]
    readinessProbe: {httpGet: {port: 8080}, timeoutSeconds: 20, periodSeconds: 2}
    volumeMounts: [{name: photos, mountPath: /cosi, readOnly: true}]
    securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
  volumes:
  - name: photos
    csi: {driver: objectstorage.k8s.io, readOnly: true, volumeAttributes: {bucketAccess: photos-rw}}
`

// testNodeAdapter has kubelets call the node adapter: a Pod waits for its access, uses its files while the adapters are
// killed, and keeps the access from being revoked. Afterwards the adapters have no volume and no mount.
func testNodeAdapter(t *testing.T, s suite) {
	t.Helper()
	s.ApplyDir(t, adapterDir)
	namespace := s.namespace(t)
	rights := deploytest.Build(t, filepath.Join(adapterDir, "example"))
	for _, object := range rights {
		object.SetNamespace(namespace)
		if object.GetKind() == "RoleBinding" {
			subjects, _, _ := unstructured.NestedSlice(object.Object, "subjects")
			subject, _ := subjects[0].(map[string]any)
			subject["namespace"] = namespace
			if err := unstructured.SetNestedSlice(object.Object, subjects, "subjects"); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.ApplyObjects(t, withoutKind(rights, "Pod"))
	s.ApplyYAML(t, volumeApplication, namespace, realcluster.AppImage)
	s.waitEvent(t, namespace, "volume", "FailedMount")
	s.ApplyYAML(t, pair, namespace, sharedName, "fake")
	s.waitPodReady(t, namespace, "volume")

	for _, pod := range s.Pods(t, adapterApp, adapterApp) {
		s.kill(t, pod)
	}
	s.WaitOnNodes(t, adapterApp, adapterApp)
	s.waitPodReady(t, namespace, "volume")

	access := cosi("BucketAccess", namespace, sharedName)
	if err := s.Delete(t.Context(), access); err != nil {
		t.Fatal(err)
	}
	s.waitCondition(t, access, "InUse", "True")
	s.waitPodReady(t, namespace, "volume")
	pod := &corev1.Pod{}
	pod.Namespace, pod.Name = namespace, "volume"
	pod.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Pod"))
	if err := s.Delete(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	s.WaitGone(t, pod)
	s.WaitGone(t, access)
	claim := cosi("BucketClaim", namespace, sharedName)
	if err := s.Delete(t.Context(), claim); err != nil {
		t.Fatal(err)
	}
	s.WaitGone(t, claim)
	if !realcluster.InKind() {
		s.waitNoVolumes(t)
	}
	s.DeleteDir(t, adapterDir)
}

func withoutKind(objects []*unstructured.Unstructured, kind string) (kept []*unstructured.Unstructured) {
	for _, object := range objects {
		if object.GetKind() != kind {
			kept = append(kept, object)
		}
	}
	return kept
}

// waitCondition waits until a condition has a status.
func (s suite) waitCondition(t *testing.T, object *unstructured.Unstructured, kind, status string) {
	t.Helper()
	harness.Eventually(t, fmt.Sprintf("%s/%s has %s=%s", object.GetKind(), object.GetName(), kind, status), func(ctx context.Context) error {
		current := cosi(object.GetKind(), object.GetNamespace(), object.GetName())
		if err := s.Get(ctx, client.ObjectKeyFromObject(object), current); err != nil {
			return err
		}
		conditions, _, _ := unstructured.NestedSlice(current.Object, "status", "conditions")
		for _, each := range conditions {
			if condition, _ := each.(map[string]any); condition["type"] == kind && condition["status"] == status {
				return nil
			}
		}
		return fmt.Errorf("its conditions are %v", conditions)
	})
}

// waitNoVolumes waits until the adapters have neither records nor mounts.
func (s suite) waitNoVolumes(t *testing.T) {
	t.Helper()
	harness.Eventually(t, "no volume is left", func(context.Context) error {
		var errs []error
		for _, n := range s.Nodes {
			records, err := os.ReadDir(filepath.Join(n.PluginDir("objectstorage.k8s.io"), "volumes"))
			if err != nil && !errors.Is(err, fs.ErrNotExist) || len(records) > 0 {
				errs = append(errs, fmt.Errorf("%s: records %v: %w", n.Name, records, err))
			}
			mounts, err := n.Mounts()
			for _, target := range mounts {
				if strings.Contains(target, "kubernetes.io~csi") {
					err = errors.Join(err, fmt.Errorf("%s is mounted", target))
				}
			}
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", n.Name, err))
			}
		}
		return errors.Join(errs...)
	})
}
