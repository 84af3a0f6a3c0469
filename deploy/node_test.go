package deploy_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/controlplanetest"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
	"github.com/cosi-emu/cosi-emu/test/deploytest"
	"github.com/cosi-emu/cosi-emu/test/harness"
)

// TestNodeRights: the node adapter reads no Secret, and its namespace admits its Pods.
func TestNodeRights(t *testing.T) {
	c := connect(t)
	for range 2 {
		if err := manifest.Apply(t.Context(), c, deploytest.Build(t, "node")); err != nil {
			t.Fatal(err)
		}
	}
	expectRights(t, c, deploy.NodeNamespace+":"+deploy.NodeServiceAccount, "somewhere", map[string]string{"bucketaccesses": "list patch"})
	template := deploytest.PodTemplates(t, deploytest.Build(t, "node"))["cosi-node"]
	pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	pod.Namespace, pod.GenerateName = deploy.NodeNamespace, "cosi-node-"
	if err := c.Create(t.Context(), pod, client.DryRunAll); err != nil {
		t.Errorf("the Pods are not admitted: %v", err)
	}
	for _, container := range template.Spec.Containers {
		checkProbes(t, container)
	}
}

// TestCSIDriver: no volume is attached, and each call of the kubelet has the Pod and its token.
// Design: CK-DEPLOY-11
func TestCSIDriver(t *testing.T) {
	objects := deploytest.Build(t, "node")
	at := slices.IndexFunc(objects, func(o *unstructured.Unstructured) bool { return o.GetKind() == "CSIDriver" })
	driver := &storagev1.CSIDriver{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(objects[at].Object, driver, true); err != nil {
		t.Fatal(err)
	}
	if attach := driver.Spec.AttachRequired; attach == nil || *attach {
		t.Error("the volumes wait for an attacher")
	}
	if pod := driver.Spec.PodInfoOnMount; pod == nil || !*pod || len(driver.Spec.TokenRequests) != 1 {
		t.Errorf("the kubelet sends no Pod, or no token: %+v", driver.Spec)
	}
}

// TestNodePaths: kubelet and node adapter see the same paths, so that the socket and the volumes are where both expect
// them.
// Design: CK-DEPLOY-2
func TestNodePaths(t *testing.T) {
	template := deploytest.PodTemplates(t, deploytest.Build(t, "node"))["cosi-node"]
	for _, mounted := range template.Spec.Containers[0].VolumeMounts {
		at := slices.IndexFunc(template.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == mounted.Name })
		if at < 0 || template.Spec.Volumes[at].HostPath == nil || template.Spec.Volumes[at].HostPath.Path != mounted.MountPath {
			t.Errorf("%s is not the same directory of the node", mounted.MountPath)
		}
	}
}

// TestNodeMounts: the kubelet and the Pods see the mounts of the node adapter.
// Design: CSI-LIFE-2, CSI-NAMESPACES-2
func TestNodeMounts(t *testing.T) {
	adapter := deploytest.PodTemplates(t, deploytest.Build(t, "node"))["cosi-node"].Spec.Containers[0]
	if privileged := adapter.SecurityContext.Privileged; privileged == nil || !*privileged {
		t.Error("the container is not privileged, so that it cannot mount")
	}
	for _, mounted := range adapter.VolumeMounts {
		propagation := ptr.Deref(mounted.MountPropagation, corev1.MountPropagationNone)
		if mounted.Name == "pods" && propagation != corev1.MountPropagationBidirectional {
			t.Errorf("the mounts in %s have the propagation %s, want Bidirectional", mounted.MountPath, propagation)
		}
	}
}

// TestNodePolicy: the node adapter changes only its marks.
func TestNodePolicy(t *testing.T) {
	c := connect(t)
	objects := slices.Concat(deploytest.Build(t, "../apis/crds"), deploytest.Build(t, "node"))
	if err := manifest.Apply(t.Context(), c, objects); err != nil {
		t.Fatal(err)
	}
	access := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": group + "/v1alpha2", "kind": "BucketAccess",
		"metadata": map[string]any{
			"name": "photos-rw", "namespace": controlplanetest.Namespace(t),
			"annotations": map[string]any{
				"example.com/owner": "a", "volume.objectstorage.k8s.io/old": "node-2/web/uid", "volume.objectstorage.k8s.io/own": "node-1/web/uid",
			},
		},
		"spec": map[string]any{
			"bucketAccessClassName": "keys", "protocol": "S3", "bucketClaims": []any{map[string]any{
				"bucketClaimName": "photos", "accessSecretName": "photos", "accessModes": map[string]any{"objectData": "ReadOnly"},
			}},
		},
	}}
	harness.Until(t, "create the access", func(ctx context.Context) (bool, error) {
		err := c.Create(ctx, access.DeepCopy())
		return client.IgnoreAlreadyExists(err) == nil, nil // the kind may not be served yet
	})
	adapter := asNode(t, "node-1")
	annotated := func(key string, value any) map[string]any {
		return map[string]any{"annotations": map[string]any{key: value}}
	}
	for name, tc := range map[string]struct {
		metadata map[string]any
		rejected string
	}{
		"Mark":           {annotated("volume.objectstorage.k8s.io/new", "node-1/app/uid"), ""},
		"MarkOfOther":    {annotated("volume.objectstorage.k8s.io/new", "node-2/app/uid"), "only accesses that Pods of its own node use"},
		"ChangeToOther":  {annotated("volume.objectstorage.k8s.io/own", "node-2/app/uid"), "only accesses that Pods of its own node use"},
		"Release":        {annotated("volume.objectstorage.k8s.io/own", nil), ""},
		"ReleaseOfOther": {annotated("volume.objectstorage.k8s.io/old", nil), ""},
		"Annotation":     {annotated("example.com/new", "a"), "only annotations that start with"},
		"AnnotationEdit": {annotated("example.com/owner", "b"), "only annotations that start with"},
		"AnnotationGone": {annotated("example.com/owner", nil), "only annotations that start with"},
		"Finalizers":     {map[string]any{"finalizers": []string{"example.com/mine"}}, "only annotations of a BucketAccess"},
		"Labels":         {map[string]any{"labels": map[string]string{"a": "b"}}, "only annotations of a BucketAccess"},
		"OwnerReferences": {
			map[string]any{"ownerReferences": []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: "p", UID: "u"}}},
			"only annotations of a BucketAccess",
		},
	} {
		t.Run(name, func(t *testing.T) {
			patch, err := json.Marshal(map[string]any{"metadata": tc.metadata})
			if err != nil {
				t.Fatal(err)
			}
			harness.Until(t, "the policy is in force", func(ctx context.Context) (bool, error) {
				err := adapter.Patch(ctx, access.DeepCopy(), client.RawPatch(types.MergePatchType, patch), client.DryRunAll)
				if tc.rejected == "" {
					return err == nil, err
				}
				return err != nil && strings.Contains(err.Error(), tc.rejected), nil // the policy takes effect after a moment
			})
		})
	}
}

// asNode returns a client with the token of the adapter's Pod on a node.
func asNode(t *testing.T, node string) client.Client {
	t.Helper()
	cfg := rest.CopyConfig(controlplanetest.Start(t).AdminConfig())
	cfg.Impersonate = rest.ImpersonationConfig{
		UserName: "system:serviceaccount:" + deploy.NodeNamespace + ":" + deploy.NodeServiceAccount,
		Groups:   []string{"system:serviceaccounts", "system:authenticated"},
		Extra:    map[string][]string{"authentication.kubernetes.io/node-name": {node}},
	}
	c, err := client.New(cfg, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
