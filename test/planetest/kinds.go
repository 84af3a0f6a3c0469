package planetest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// causes returns the field and type of each cause of an error, without the values.
func causes(err error) []string {
	status, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok || status.ErrStatus.Details == nil {
		return nil
	}
	var all []string
	for _, cause := range status.ErrStatus.Details.Causes {
		all = append(all, string(cause.Type)+" "+cause.Field)
	}
	return all
}

func (f *fixture) testSecrets(t *testing.T) {
	ctx, namespace := testContext(t), f.namespace(t)
	secrets := f.kube.CoreV1().Secrets(namespace)
	for name, test := range map[string]struct {
		secret corev1.Secret
		want   []string
	}{
		"BadKey":     {corev1.Secret{Data: map[string][]byte{"a b": nil}}, []string{"FieldValueInvalid data[a b]"}},
		"TooLarge":   {corev1.Secret{Data: map[string][]byte{"a": make([]byte, corev1.MaxSecretSize+1)}}, []string{"FieldValueTooLong data"}},
		"TLS":        {corev1.Secret{Type: corev1.SecretTypeTLS}, []string{"FieldValueRequired data[tls.crt]", "FieldValueRequired data[tls.key]"}},         //nolint:lll // one case a line
		"BasicAuth":  {corev1.Secret{Type: corev1.SecretTypeBasicAuth}, []string{"FieldValueRequired data[username]", "FieldValueRequired data[password]"}}, //nolint:lll // as above
		"SSH":        {corev1.Secret{Type: corev1.SecretTypeSSHAuth}, []string{"FieldValueRequired data[ssh-privatekey]"}},
		"DockerJSON": {corev1.Secret{Type: corev1.SecretTypeDockerConfigJson, Data: map[string][]byte{".dockerconfigjson": []byte("{")}}, []string{"FieldValueInvalid data[.dockerconfigjson]"}}, //nolint:lll // as above
		"Account":    {corev1.Secret{Type: corev1.SecretTypeServiceAccountToken}, []string{"FieldValueRequired metadata.annotations[kubernetes.io/service-account.name]"}},                       //nolint:lll // as above
	} {
		t.Run(name, func(t *testing.T) {
			test.secret.Name = "bad"
			_, err := secrets.Create(ctx, &test.secret, metav1.CreateOptions{})
			// Their order changes from release to release.
			if diff := cmp.Diff(test.want, causes(err), cmpopts.SortSlices(strings.Compare)); diff != "" || !apierrors.IsInvalid(err) {
				t.Errorf("got %v: -want +got\n%s", err, diff)
			}
		})
	}
	t.Run("BadName", func(t *testing.T) {
		_, err := secrets.Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "Bad"}}, metav1.CreateOptions{})
		if diff := cmp.Diff([]string{"FieldValueInvalid metadata.name"}, causes(err)); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	})
	t.Run("StringData", func(t *testing.T) {
		made := must(secrets.Create(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: "text"}, Data: map[string][]byte{"a": []byte("1"), "b": []byte("2")},
			StringData: map[string]string{"b": "two"},
		}, metav1.CreateOptions{}))(t)
		patched := must(secrets.Patch(ctx, "text", types.MergePatchType, []byte(`{"stringData":{"c":"three"}}`), metav1.PatchOptions{}))(t)
		want := map[string][]byte{"a": []byte("1"), "b": []byte("two")}
		if diff := cmp.Diff(want, made.Data); diff != "" || made.StringData != nil || made.Type != corev1.SecretTypeOpaque {
			t.Errorf("created %+v: data -want +got\n%s", made, diff)
		}
		want["c"] = []byte("three")
		if diff := cmp.Diff(want, patched.Data); diff != "" || patched.StringData != nil {
			t.Errorf("patched: data -want +got\n%s", diff)
		}
	})
	t.Run("Immutable", func(t *testing.T) {
		made := must(secrets.Create(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Name: "fixed"}, Data: map[string][]byte{"a": []byte("1")}, Immutable: new(true),
		}, metav1.CreateOptions{}))(t)
		made.Data["a"], made.Immutable, made.Type = []byte("2"), nil, "other"
		_, err := secrets.Update(ctx, made, metav1.UpdateOptions{})
		want := []string{"FieldValueInvalid type", "FieldValueForbidden immutable", "FieldValueForbidden data"}
		if diff := cmp.Diff(want, causes(err)); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	})
}

// testKinds has an invalid object of each kind that no other test has.
func (f *fixture) testKinds(t *testing.T) {
	namespace := f.namespace(t)
	meta := metav1.ObjectMeta{Name: "bad"}
	for name, test := range map[string]struct {
		create func(context.Context) error
		want   []string
	}{
		"ConfigMap": {creating(f.kube.CoreV1().ConfigMaps(namespace), &corev1.ConfigMap{
			ObjectMeta: meta, Data: map[string]string{"a": ""}, BinaryData: map[string][]byte{"a": nil},
		}), []string{"FieldValueInvalid data[a]"}},
		"ServiceAccount": {creating(f.kube.CoreV1().ServiceAccounts(namespace), &corev1.ServiceAccount{
			ObjectMeta: metav1.ObjectMeta{Name: "Bad"},
		}), []string{"FieldValueInvalid metadata.name"}},
		"Lease": {creating(f.kube.CoordinationV1().Leases(namespace), &coordinationv1.Lease{
			ObjectMeta: meta, Spec: coordinationv1.LeaseSpec{LeaseDurationSeconds: new(int32(0)), LeaseTransitions: new(int32(-1))},
		}), []string{"FieldValueInvalid spec.leaseDurationSeconds", "FieldValueInvalid spec.leaseTransitions"}},
		"Role": {creating(f.kube.RbacV1().Roles(namespace), &rbacv1.Role{
			ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{NonResourceURLs: []string{"/x"}}, {Verbs: []string{"get"}}},
		}), []string{
			"FieldValueRequired rules[0].verbs", "FieldValueInvalid rules[0].nonResourceURLs",
			"FieldValueRequired rules[1].apiGroups", "FieldValueRequired rules[1].resources",
		}},
		"RoleBinding": {creating(f.kube.RbacV1().RoleBindings(namespace), &rbacv1.RoleBinding{
			ObjectMeta: meta, RoleRef: rbacv1.RoleRef{Kind: "Thing", Name: "x"}, Subjects: []rbacv1.Subject{{Kind: "Cat", Name: "tom"}},
		}), []string{"FieldValueNotSupported roleRef.kind", "FieldValueNotSupported subjects[0].kind"}},
		"ClusterRoleBinding": {creating(f.kube.RbacV1().ClusterRoleBindings(), &rbacv1.ClusterRoleBinding{
			ObjectMeta: meta, RoleRef: rbacv1.RoleRef{Kind: "ClusterRole", Name: "x"},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: "app"}},
		}), []string{"FieldValueRequired subjects[0].namespace"}},
		"ClusterRole": {creating(f.kube.RbacV1().ClusterRoles(), &rbacv1.ClusterRole{
			ObjectMeta: meta, AggregationRule: &rbacv1.AggregationRule{},
		}), []string{"FieldValueRequired aggregationRule.clusterRoleSelectors"}},
		"Namespace": {creating(f.kube.CoreV1().Namespaces(), &corev1.Namespace{
			ObjectMeta: metav1.ObjectMeta{Name: "a.b"}, Spec: corev1.NamespaceSpec{Finalizers: []corev1.FinalizerName{"mine"}},
		}), []string{"FieldValueInvalid metadata.name", "FieldValueInvalid spec.finalizers"}},
	} {
		t.Run(name, func(t *testing.T) {
			err := test.create(testContext(t))
			// Their order changes from release to release.
			if diff := cmp.Diff(test.want, causes(err), cmpopts.SortSlices(strings.Compare)); diff != "" || !apierrors.IsInvalid(err) {
				t.Errorf("got %v: -want +got\n%s", err, diff)
			}
		})
	}
	t.Run("LeaseByPut", f.testLeaseByPut)
}

// testLeaseByPut creates a Lease as kubelet does, by an update.
func (f *fixture) testLeaseByPut(t *testing.T) {
	namespace := f.namespace(t)
	leases := f.kube.CoordinationV1().Leases(namespace)
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "put", Namespace: namespace}}
	made := must(leases.Update(testContext(t), lease, metav1.UpdateOptions{}))(t)
	made.ResourceVersion = ""
	if _, err := leases.Update(testContext(t), made, metav1.UpdateOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("an update without a version: got %v, want Invalid", err)
	}
}

// creating returns a function that creates an object.
func creating[T any](client interface {
	Create(ctx context.Context, object T, opts metav1.CreateOptions) (T, error)
}, object T,
) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := client.Create(ctx, object, metav1.CreateOptions{})
		return err
	}
}

// testEvents writes an Event in one group and reads it in the other.
func (f *fixture) testEvents(t *testing.T) {
	ctx, namespace := testContext(t), f.namespace(t)
	about := corev1.ObjectReference{APIVersion: "v1", Kind: "Secret", Namespace: namespace, Name: "key", UID: "1"}
	made := must(f.kube.EventsV1().Events(namespace).Create(ctx, &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{Name: "new"}, EventTime: metav1.NewMicroTime(time.Now()), Regarding: about,
		ReportingController: "cosi.example/test", ReportingInstance: "one", Action: "Test", Reason: "Tested", Type: "Normal", Note: "It works.",
	}, metav1.CreateOptions{}))(t)
	list := must(f.kube.CoreV1().Events(namespace).List(ctx, metav1.ListOptions{
		FieldSelector: "involvedObject.name=key,reason=Tested,type=Normal,reportingComponent=cosi.example/test",
	}))(t)
	if len(list.Items) != 1 || list.Items[0].UID != made.UID || list.Items[0].Message != "It works." || list.Items[0].InvolvedObject != about {
		t.Errorf("in the core group: got %+v", list.Items)
	}
	must(f.kube.CoreV1().Events(namespace).Create(ctx, &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Name: "old"}, InvolvedObject: about, Reason: "Old", Message: "It was.", Type: "Warning", Count: 3,
		Source: corev1.EventSource{Component: "test"}, FirstTimestamp: metav1.Now(), LastTimestamp: metav1.Now(),
	}, metav1.CreateOptions{}))(t)
	old := must(f.kube.EventsV1().Events(namespace).List(ctx, metav1.ListOptions{FieldSelector: "regarding.name=key,reason=Old"}))(t)
	if len(old.Items) != 1 || old.Items[0].Note != "It was." || old.Items[0].DeprecatedCount != 3 {
		t.Errorf("in events.k8s.io: got %+v", old.Items)
	}
	_, err := f.kube.EventsV1().Events(namespace).Create(ctx, &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{Name: "bad"}, Regarding: about, Type: "Odd", DeprecatedCount: 1,
	}, metav1.CreateOptions{})
	want := []string{"FieldValueRequired eventTime", "FieldValueInvalid type", "FieldValueInvalid count"}
	if diff := cmp.Diff(want, causes(err)); diff != "" {
		t.Errorf("an invalid Event: -want +got\n%s", diff)
	}
	_, err = f.kube.CoreV1().Events(namespace).Create(ctx, &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Name: "bad"}, InvolvedObject: corev1.ObjectReference{Namespace: "other"},
	}, metav1.CreateOptions{})
	if diff := cmp.Diff([]string{"FieldValueInvalid involvedObject.namespace"}, causes(err)); diff != "" {
		t.Errorf("an Event of another namespace: -want +got\n%s", diff)
	}
}

func (f *fixture) testNamespaces(t *testing.T) {
	ctx := testContext(t)
	made := must(f.kube.CoreV1().Namespaces().Get(ctx, f.namespace(t), metav1.GetOptions{}))(t)
	want := corev1.Namespace{
		Spec:   corev1.NamespaceSpec{Finalizers: []corev1.FinalizerName{corev1.FinalizerKubernetes}},
		Status: corev1.NamespaceStatus{Phase: corev1.NamespaceActive},
	}
	if diff := cmp.Diff(want, corev1.Namespace{Spec: made.Spec, Status: made.Status}); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got := made.Labels[corev1.LabelMetadataName]; got != made.Name {
		t.Errorf("label %s: got %q", corev1.LabelMetadataName, got)
	}
	for _, name := range []string{"default", "kube-system", "kube-public"} {
		if err := f.kube.CoreV1().Namespaces().Delete(ctx, name, metav1.DeleteOptions{}); !apierrors.IsForbidden(err) {
			t.Errorf("delete namespace %s: got %v, want Forbidden", name, err)
		}
	}
	lost := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "lost"}}
	_, err := f.kube.CoreV1().Secrets("none").Create(ctx, lost, metav1.CreateOptions{})
	if !apierrors.IsNotFound(err) || !strings.Contains(err.Error(), `namespaces "none" not found`) {
		t.Errorf("a Secret in no namespace: got %v, want NotFound", err)
	}
}

func (f *fixture) testPods(t *testing.T) {
	ctx, namespace := testContext(t), f.namespace(t)
	pods := f.kube.CoreV1().Pods(namespace)
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "app"},
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{{
				Name: "app", Image: "app", VolumeMounts: []corev1.VolumeMount{{Name: "key", MountPath: "/key"}},
				LivenessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{}}},
			}},
			Volumes: []corev1.Volume{{Name: "key", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "key"}}}},
		},
	}
	pod.Spec.Containers[0].LivenessProbe.HTTPGet.Port.IntVal = 80
	made := must(pods.Create(ctx, pod, metav1.CreateOptions{}))(t)
	container := made.Spec.Containers[0]
	got := map[string]any{
		"phase": made.Status.Phase, "qos": made.Status.QOSClass, "restart": made.Spec.RestartPolicy, "dns": made.Spec.DNSPolicy,
		"pull": container.ImagePullPolicy, "path": container.LivenessProbe.HTTPGet.Path, "period": container.LivenessProbe.PeriodSeconds,
		"grace": *made.Spec.TerminationGracePeriodSeconds, "mode": *made.Spec.Volumes[0].Secret.DefaultMode, "scheduler": made.Spec.SchedulerName,
		"tolerations": len(made.Spec.Tolerations), "priority": *made.Spec.Priority, "preemption": *made.Spec.PreemptionPolicy,
	}
	want := map[string]any{
		"phase": corev1.PodPending, "qos": corev1.PodQOSBestEffort, "restart": corev1.RestartPolicyAlways, "dns": corev1.DNSClusterFirst,
		"pull": corev1.PullAlways, "path": "/", "period": int32(10), "grace": int64(30), "mode": int32(0o644), "scheduler": "default-scheduler",
		"tolerations": 2, "priority": int32(0), "preemption": corev1.PreemptLowerPriority,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("defaults: -want +got\n%s", diff)
	}
	bad := pod.DeepCopy()
	bad.Name, bad.Spec.Containers[0].Image, bad.Spec.Volumes = "bad", "", nil
	_, err := pods.Create(ctx, bad, metav1.CreateOptions{})
	if diff := cmp.Diff([]string{
		"FieldValueRequired spec.containers[0].image", "FieldValueNotFound spec.containers[0].volumeMounts[0].name",
	}, causes(err), cmp.Transformer("sorted", sorted)); diff != "" {
		t.Errorf("an invalid Pod: -want +got\n%s", diff)
	}
	made.Spec.ServiceAccountName = "other"
	_, err = pods.Update(ctx, made, metav1.UpdateOptions{})
	if diff := cmp.Diff([]string{"FieldValueForbidden spec"}, causes(err)); diff != "" {
		t.Errorf("a changed Pod: -want +got\n%s", diff)
	}
	if err := pods.Delete(ctx, "app", metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	if _, err := pods.Get(ctx, "app", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("a Pod that no node runs is deleted at once: got %v", err)
	}
}
