package planetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// testNodes: a new node is tainted until it is ready.
func (f *fixture) testNodes(t *testing.T) {
	ctx := testContext(t)
	nodes := f.kube.CoreV1().Nodes()
	made := must(nodes.Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "tainted"}}, metav1.CreateOptions{}))(t)
	want := []corev1.Taint{{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule}}
	if diff := cmp.Diff(want, made.Spec.Taints); diff != "" {
		t.Errorf("a new node: -want +got\n%s", diff)
	}
	f.startKubelet(t, "ready")
	until(t, "the ready node has no taint", func() bool {
		return len(must(nodes.Get(ctx, "ready", metav1.GetOptions{}))(t).Spec.Taints) == 0
	})
	if err := nodes.Delete(ctx, "tainted", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	_, err := nodes.Create(ctx, &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "bad"},
		Spec:       corev1.NodeSpec{Taints: []corev1.Taint{{Key: "a b", Effect: "Odd"}}},
	}, metav1.CreateOptions{})
	wrong := []string{"FieldValueInvalid metadata.taints[0].key", "FieldValueNotSupported metadata.taints[0].effect"}
	if diff := cmp.Diff(wrong, causes(err)); diff != "" {
		t.Errorf("an invalid node: -want +got\n%s", diff)
	}
}

func (f *fixture) testBinding(t *testing.T) {
	ctx, namespace := testContext(t), f.namespace(t)
	f.startKubelet(t, "binding")
	pod := f.podOn(t, namespace, "one", "", "app")
	pods := f.kube.CoreV1().Pods(namespace)
	bind := func(name, node string, uid types.UID) error {
		return pods.Bind(ctx, &corev1.Binding{
			ObjectMeta: metav1.ObjectMeta{Name: name, UID: uid}, Target: corev1.ObjectReference{Kind: "Node", Name: node},
		}, metav1.CreateOptions{})
	}
	if err := bind("one", "binding", "other"); !apierrors.IsConflict(err) {
		t.Errorf("with another UID: got %v, want Conflict", err)
	}
	if err := bind("one", "binding", pod.UID); err != nil {
		t.Fatal(err)
	}
	bound := must(pods.Get(ctx, "one", metav1.GetOptions{}))(t)
	want := []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}}
	diff := cmp.Diff(want, bound.Status.Conditions, cmpopts.IgnoreFields(corev1.PodCondition{}, "LastTransitionTime", "ObservedGeneration"))
	if diff != "" || bound.Spec.NodeName != "binding" {
		t.Errorf("bound to %q, conditions: -want +got\n%s", bound.Spec.NodeName, diff)
	}
	err := bind("one", "elsewhere", "")
	if !apierrors.IsConflict(err) || !strings.Contains(err.Error(), `pod one is already assigned to node "binding"`) {
		t.Errorf("bound again: got %v, want Conflict", err)
	}
	if err := bind("none", "binding", ""); !apierrors.IsNotFound(err) {
		t.Errorf("a Pod that does not exist: got %v, want NotFound", err)
	}
	selected := must(pods.List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=binding"}))(t)
	if len(selected.Items) != 1 {
		t.Errorf("%d Pods of the node, want 1", len(selected.Items))
	}
	f.remove(t, namespace, "one")
}

// remove deletes a Pod as its node does, which has ended its containers.
func (f *fixture) remove(t *testing.T, namespace, name string) {
	t.Helper()
	if err := f.kube.CoreV1().Pods(namespace).Delete(testContext(t), name, *metav1.NewDeleteOptions(0)); err != nil {
		t.Errorf("delete Pod %s: %v", name, err)
	}
}

// testPodStatus patches the status as kubelet does.
func (f *fixture) testPodStatus(t *testing.T) {
	ctx, namespace := testContext(t), f.namespace(t)
	f.startKubelet(t, "status")
	pod := f.podOn(t, namespace, "one", "status", "app")
	patch := fmt.Sprintf(`{"metadata":{"uid":%q},"status":{"phase":"Running","hostIP":"127.0.0.1","podIP":"127.0.0.1",`+
		`"conditions":[{"type":"Ready","status":"True"}],"containerStatuses":[{"name":"app","ready":true,"image":"app","imageID":"",`+
		`"restartCount":0,"state":{"running":{"startedAt":"2026-01-01T00:00:00Z"}}}]}}`, pod.UID)
	pods := f.kube.CoreV1().Pods(namespace)
	got := must(pods.Patch(ctx, "one", types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}, "status"))(t)
	if got.Status.Phase != corev1.PodRunning || len(got.Status.PodIPs) != 1 || len(got.Status.ContainerStatuses) != 1 {
		t.Errorf("got status %+v", got.Status)
	}
	patch = `{"metadata":{"uid":"other"},"status":{"phase":"Failed"}}`
	_, err := pods.Patch(ctx, "one", types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}, "status")
	if !apierrors.IsInvalid(err) {
		t.Errorf("with another UID: got %v, want Invalid", err)
	}
	f.remove(t, namespace, "one")
}

// testPodDeletion: a node ends the containers of a Pod before the Pod is deleted.
func (f *fixture) testPodDeletion(t *testing.T) {
	ctx, namespace := testContext(t), f.namespace(t)
	f.startKubelet(t, "deletion")
	pods := f.kube.CoreV1().Pods(namespace)
	f.podOn(t, namespace, "running", "deletion", "app")
	if err := pods.Delete(ctx, "running", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	deleting := must(pods.Get(ctx, "running", metav1.GetOptions{}))(t)
	if deleting.DeletionTimestamp == nil || *deleting.DeletionGracePeriodSeconds != corev1.DefaultTerminationGracePeriodSeconds {
		t.Fatalf("deleted at %v, with %v", deleting.DeletionTimestamp, deleting.DeletionGracePeriodSeconds)
	}
	if until := time.Until(deleting.DeletionTimestamp.Time); until <= 0 {
		t.Errorf("the deletion is due in %v", until)
	}
	if err := pods.Delete(ctx, "running", *metav1.NewDeleteOptions(5)); err != nil {
		t.Fatal(err)
	}
	if shorter := must(pods.Get(ctx, "running", metav1.GetOptions{}))(t); *shorter.DeletionGracePeriodSeconds != 5 {
		t.Errorf("the second deletion has a period of %d seconds, want 5", *shorter.DeletionGracePeriodSeconds)
	}
	other := types.UID("other")
	ofOther := metav1.DeleteOptions{GracePeriodSeconds: new(int64(0)), Preconditions: &metav1.Preconditions{UID: &other}}
	err := pods.Delete(ctx, "running", ofOther)
	if !apierrors.IsConflict(err) {
		t.Errorf("with another UID: got %v, want Conflict", err)
	}
	f.remove(t, namespace, "running")
	_, err = pods.Get(ctx, "running", metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("after its node deletes the Pod: got %v, want NotFound", err)
	}
}

// testPodAccount: a Pod gets the token of its ServiceAccount.
func (f *fixture) testPodAccount(t *testing.T) {
	ctx, namespace := testContext(t), f.namespace(t)
	pod := f.podOn(t, namespace, "one", "", "app")
	if len(pod.Spec.Volumes) != 1 || pod.Spec.ServiceAccountName != "default" {
		t.Fatalf("ServiceAccount %q, volumes %+v", pod.Spec.ServiceAccountName, pod.Spec.Volumes)
	}
	volume := pod.Spec.Volumes[0]
	want := corev1.ProjectedVolumeSource{DefaultMode: new(corev1.ProjectedVolumeSourceDefaultMode), Sources: []corev1.VolumeProjection{
		{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token", ExpirationSeconds: new(int64(3607))}},
		{ConfigMap: &corev1.ConfigMapProjection{
			LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"}, Items: []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}},
		}},
		{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{{
			Path: "namespace", FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"},
		}}}},
	}}
	if diff := cmp.Diff(&want, volume.Projected); diff != "" || !strings.HasPrefix(volume.Name, "kube-api-access-") {
		t.Errorf("volume %s: -want +got\n%s", volume.Name, diff)
	}
	mount := []corev1.VolumeMount{{Name: volume.Name, ReadOnly: true, MountPath: "/var/run/secrets/kubernetes.io/serviceaccount"}}
	if diff := cmp.Diff(mount, pod.Spec.Containers[0].VolumeMounts); diff != "" {
		t.Errorf("mounts: -want +got\n%s", diff)
	}
	token := must(f.kube.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, "default", &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{
			ExpirationSeconds: new(int64(3607)),
			BoundObjectRef:    &authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Pod", Name: "one", UID: pod.UID},
		},
	}, metav1.CreateOptions{}))(t)
	review := must(f.kube.AuthenticationV1().TokenReviews().Create(ctx, &authenticationv1.TokenReview{
		Spec: authenticationv1.TokenReviewSpec{Token: token.Status.Token},
	}, metav1.CreateOptions{}))(t)
	if got := review.Status.User.Extra["authentication.kubernetes.io/pod-name"]; len(got) != 1 || got[0] != "one" {
		t.Errorf("the token is for %+v", review.Status.User)
	}
	without := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "two"}, Spec: corev1.PodSpec{
		AutomountServiceAccountToken: new(false), Containers: []corev1.Container{{Name: "app", Image: "app"}},
	}}
	if made := must(f.kube.CoreV1().Pods(namespace).Create(ctx, without, metav1.CreateOptions{}))(t); len(made.Spec.Volumes) > 0 {
		t.Errorf("a Pod that wants no token has volumes %+v", made.Spec.Volumes)
	}
	without.Name, without.Spec.ServiceAccountName = "three", "none"
	_, err := f.kube.CoreV1().Pods(namespace).Create(ctx, without, metav1.CreateOptions{})
	message := fmt.Sprintf(`pods "three" is forbidden: error looking up service account %s/none: serviceaccount "none" not found`, namespace)
	if !apierrors.IsForbidden(err) || err.Error() != message {
		t.Errorf("with an unknown ServiceAccount: got %v, want %s", err, message)
	}
}

func (f *fixture) testRootCA(t *testing.T) {
	ctx, namespace := testContext(t), f.namespace(t)
	maps := f.kube.CoreV1().ConfigMaps(namespace)
	published := func() bool {
		found, err := maps.Get(ctx, "kube-root-ca.crt", metav1.GetOptions{})
		return err == nil && found.Data["ca.crt"] == string(f.config.CAData)
	}
	until(t, "the certificate authority is published", published)
	if err := maps.Delete(ctx, "kube-root-ca.crt", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	until(t, "the deleted ConfigMap is created again", published)
}
