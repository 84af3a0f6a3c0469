package planetest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/dynamic"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}

func configMap(name string, data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: data}
}

// testWrites patches and updates an object in all ways.
func (f *fixture) testWrites(t *testing.T) {
	ctx, namespace := testContext(t), f.namespace(t)
	maps := f.kube.CoreV1().ConfigMaps(namespace)
	first := must(maps.Create(ctx, configMap("one", map[string]string{"a": "1"}), metav1.CreateOptions{}))(t)
	if _, err := maps.Create(ctx, configMap("one", nil), metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
		t.Errorf("create it again: got %v, want AlreadyExists", err)
	}
	for name, patch := range map[types.PatchType]string{
		types.JSONPatchType:           `[{"op":"test","path":"/data/a","value":"1"},{"op":"add","path":"/data/json","value":"x"}]`,
		types.MergePatchType:          `{"data":{"merge":"x"}}`,
		types.StrategicMergePatchType: `{"data":{"strategic":"x"}}`,
	} {
		if _, err := maps.Patch(ctx, "one", name, []byte(patch), metav1.PatchOptions{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	latest := must(maps.Get(ctx, "one", metav1.GetOptions{}))(t)
	if diff := cmp.Diff(map[string]string{"a": "1", "json": "x", "merge": "x", "strategic": "x"}, latest.Data); diff != "" {
		t.Errorf("after the patches: -want +got\n%s", diff)
	}
	_, err := maps.Patch(ctx, "one", types.JSONPatchType, []byte(`[{"op":"test","path":"/data/a","value":"2"}]`), metav1.PatchOptions{})
	if !apierrors.IsInvalid(err) {
		t.Errorf("a test that fails: got %v, want Invalid", err)
	}
	if _, err := maps.Update(ctx, first, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("update an older version: got %v, want Conflict", err)
	}
	other := latest.DeepCopy()
	other.UID, other.ResourceVersion = "other", ""
	if _, err := maps.Update(ctx, other, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("update another UID: got %v, want Conflict", err)
	}
	same := must(maps.Update(ctx, latest, metav1.UpdateOptions{}))(t)
	if same.ResourceVersion != latest.ResourceVersion {
		t.Errorf("an update that changes nothing makes version %s of %s", same.ResourceVersion, latest.ResourceVersion)
	}
	if _, err := maps.Patch(ctx, "none", types.MergePatchType, []byte(`{}`), metav1.PatchOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("patch nothing: got %v, want NotFound", err)
	}
	err = f.kube.CoreV1().RESTClient().Post().Namespace(namespace).Resource("configmaps").Param("fieldValidation", "Strict").
		Body([]byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"strict"},"dta":{}}`)).Do(ctx).Error()
	if !apierrors.IsBadRequest(err) || !strings.Contains(err.Error(), `unknown field "dta"`) {
		t.Errorf("an unknown field: got %v, want BadRequest", err)
	}
}

// testApply has two managers of one object.
func (f *fixture) testApply(t *testing.T) {
	ctx, namespace := testContext(t), f.namespace(t)
	maps := f.kube.CoreV1().ConfigMaps(namespace)
	apply := func(manager string, force bool, data map[string]string) (*corev1.ConfigMap, error) {
		return maps.Apply(ctx, applycorev1.ConfigMap("one", namespace).WithData(data),
			metav1.ApplyOptions{FieldManager: manager, Force: force})
	}
	must(apply("alice", false, map[string]string{"a": "1", "b": "1"}))(t)
	_, err := apply("bob", false, map[string]string{"a": "2"})
	if diff := cmp.Diff([]string{"FieldManagerConflict .data.a"}, causes(err)); diff != "" || !apierrors.IsConflict(err) {
		t.Errorf("got %v: -want +got\n%s", err, diff)
	}
	must(apply("bob", true, map[string]string{"a": "2"}))(t)
	got := must(apply("alice", false, map[string]string{"b": "2"}))(t)
	if diff := cmp.Diff(map[string]string{"a": "2", "b": "2"}, got.Data); diff != "" {
		t.Errorf("data: -want +got\n%s", diff)
	}
	managed := map[string]string{}
	for _, entry := range got.ManagedFields {
		managed[entry.Manager+" "+string(entry.Operation)] = entry.FieldsV1.GetRawString()
	}
	if diff := cmp.Diff(map[string]string{
		"alice Apply": `{"f:data":{"f:b":{}}}`, "bob Apply": `{"f:data":{"f:a":{}}}`,
	}, managed); diff != "" {
		t.Errorf("managed fields: -want +got\n%s", diff)
	}
	gone := must(apply("alice", false, nil))(t)
	if diff := cmp.Diff(map[string]string{"a": "2"}, gone.Data); diff != "" {
		t.Errorf("what is no longer applied: -want +got\n%s", diff)
	}
}

func (f *fixture) testDryRun(t *testing.T) {
	ctx, namespace := testContext(t), f.namespace(t)
	maps, dry := f.kube.CoreV1().ConfigMaps(namespace), []string{metav1.DryRunAll}
	made := must(maps.Create(ctx, configMap("one", nil), metav1.CreateOptions{DryRun: dry}))(t)
	if made.UID == "" {
		t.Error("the answer to a dry run has no UID")
	}
	if _, err := maps.Get(ctx, "one", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("after a create: got %v, want NotFound", err)
	}
	first := must(maps.Create(ctx, configMap("one", nil), metav1.CreateOptions{}))(t)
	must(maps.Patch(ctx, "one", types.MergePatchType, []byte(`{"data":{"a":"1"}}`), metav1.PatchOptions{DryRun: dry}))(t)
	if err := maps.Delete(ctx, "one", metav1.DeleteOptions{DryRun: dry}); err != nil {
		t.Error(err)
	}
	if got := must(maps.Get(ctx, "one", metav1.GetOptions{}))(t); got.ResourceVersion != first.ResourceVersion {
		t.Errorf("dry runs have changed the object: %+v", got)
	}
}

// testDeletes has preconditions, finalizers and collections.
func (f *fixture) testDeletes(t *testing.T) {
	ctx, namespace := testContext(t), f.namespace(t)
	maps := f.kube.CoreV1().ConfigMaps(namespace)
	made := must(maps.Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "one", Finalizers: []string{"cosi.example/test"}},
	}, metav1.CreateOptions{}))(t)
	for name, conditions := range map[string]metav1.Preconditions{
		"UID": {UID: new(types.UID("other"))}, "Version": {ResourceVersion: new("1")},
	} {
		if err := maps.Delete(ctx, "one", metav1.DeleteOptions{Preconditions: &conditions}); !apierrors.IsConflict(err) {
			t.Errorf("%s: got %v, want Conflict", name, err)
		}
	}
	if err := maps.Delete(ctx, "one", *metav1.NewPreconditionDeleteOptions(string(made.UID))); err != nil {
		t.Error(err)
	}
	deleting := must(maps.Get(ctx, "one", metav1.GetOptions{}))(t)
	if deleting.DeletionTimestamp == nil {
		t.Error("an object with a finalizer has no time of deletion")
	}
	deleting.Finalizers = append(deleting.Finalizers, "cosi.example/late")
	if _, err := maps.Update(ctx, deleting, metav1.UpdateOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("a finalizer that is added late: got %v, want Invalid", err)
	}
	must(maps.Patch(ctx, "one", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{}))(t)
	if _, err := maps.Get(ctx, "one", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("without its finalizer: got %v, want NotFound", err)
	}
	for _, name := range []string{"a", "b", "c"} {
		m := configMap(name, nil)
		m.Labels = map[string]string{"keep": map[bool]string{true: "yes", false: "no"}[name == "c"]}
		must(maps.Create(ctx, m, metav1.CreateOptions{}))(t)
	}
	if err := maps.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "keep=no"}); err != nil {
		t.Error(err)
	}
	left := must(maps.List(ctx, metav1.ListOptions{LabelSelector: "keep"}))(t)
	if len(left.Items) != 1 || left.Items[0].Name != "c" {
		t.Errorf("after the deletion of a collection: %d left", len(left.Items))
	}
}

// testCustom writes custom resources: defaults, pruning, schema, CEL and status.
func (f *fixture) testCustom(t *testing.T) {
	ctx := testContext(t)
	classes := dynamic.NewForConfigOrDie(f.config).Resource(v1alpha2.SchemeGroupVersion.WithResource("bucketclasses"))
	class := func(name string, spec map[string]any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": v1alpha2.SchemeGroupVersion.String(), "kind": "BucketClass", "metadata": map[string]any{"name": name}, "spec": spec,
		}}
	}
	good := map[string]any{"driverName": "cosi.example", "deletionPolicy": "Delete", "unknown": "pruned"}
	made := must(classes.Create(ctx, class("custom", good), metav1.CreateOptions{}))(t)
	t.Cleanup(func() { _ = classes.Delete(testContext(t), "custom", metav1.DeleteOptions{}) })
	if _, ok, _ := unstructured.NestedString(made.Object, "spec", "unknown"); ok {
		t.Error("an unknown field is stored")
	}
	_, err := classes.Create(ctx, class("bad", map[string]any{"driverName": "cosi.example", "deletionPolicy": "Keep"}), metav1.CreateOptions{})
	if diff := cmp.Diff([]string{"FieldValueNotSupported spec.deletionPolicy", "FieldValueInvalid <nil>"}, causes(err)); diff != "" {
		t.Errorf("an invalid value: got %v -want +got\n%s", err, diff)
	}
	patch := must(json.Marshal(map[string]any{"spec": map[string]any{"driverName": "other.example"}}))(t)
	_, err = classes.Patch(ctx, "custom", types.MergePatchType, patch, metav1.PatchOptions{})
	if !apierrors.IsInvalid(err) {
		t.Errorf("a change of an immutable field: got %v, want Invalid", err)
	}
	if made.GetGeneration() != 1 {
		t.Errorf("generation %d, want 1", made.GetGeneration())
	}
	buckets := dynamic.NewForConfigOrDie(f.config).Resource(v1alpha2.SchemeGroupVersion.WithResource("buckets"))
	bucket := must(buckets.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": v1alpha2.SchemeGroupVersion.String(), "kind": "Bucket", "metadata": map[string]any{"name": "custom"},
		"spec": map[string]any{
			"driverName": "cosi.example", "deletionPolicy": "Retain", "protocols": []any{"S3"}, "existingBucketID": "one",
			"bucketClaimRef": map[string]any{"namespace": "default", "name": "none"},
		},
		"status": map[string]any{"bucketID": "ignored"},
	}}, metav1.CreateOptions{}))(t)
	t.Cleanup(func() { _ = buckets.Delete(testContext(t), "custom", metav1.DeleteOptions{}) })
	if _, ok := bucket.Object["status"]; ok {
		t.Error("a create sets the status")
	}
	status := []byte(`{"spec":{"deletionPolicy":"Delete"},"status":{"bucketID":"one","readyToUse":false}}`)
	updated := must(buckets.Patch(ctx, "custom", types.MergePatchType, status, metav1.PatchOptions{}, "status"))(t)
	id, _, _ := unstructured.NestedString(updated.Object, "status", "bucketID")
	policy, _, _ := unstructured.NestedString(updated.Object, "spec", "deletionPolicy")
	if id != "one" || policy != "Retain" || updated.GetGeneration() != 1 {
		t.Errorf("after a patch of the status: bucketID %q, deletionPolicy %q, generation %d", id, policy, updated.GetGeneration())
	}
}

// testTooLarge has objects that etcd does not store, and requests that an API server does not read.
func (f *fixture) testTooLarge(t *testing.T) {
	ctx, roles := testContext(t), f.kube.RbacV1().Roles(f.namespace(t))
	create := func(bytes int) error {
		_, err := roles.Create(ctx, largeRole(bytes), metav1.CreateOptions{})
		return err
	}
	if err := create(1 << 20); err != nil {
		t.Errorf("1 MiB: %v", err)
	}
	for bytes, want := range map[int]string{ // the limits of etcd's server and of its client
		1800 << 10: "etcdserver: request is too large", 2 << 20: "trying to send message larger than max (2142449 vs. 2097152)",
	} {
		if err := create(bytes); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d bytes: got %v, want %q", bytes, err, want)
		}
	}
	role := largeRole(2 << 20)
	role.GenerateName, role.Name = "", "large"
	applied := must(json.Marshal(role))(t)
	_, err := roles.Patch(ctx, "large", types.ApplyPatchType, applied, metav1.PatchOptions{FieldManager: "one"})
	if want := "trying to send message larger than max (2142549 vs. 2097152)"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("an apply that creates: got %v, want %q", err, want)
	}
	if err := create(4 << 20); !apierrors.IsRequestEntityTooLargeError(err) {
		t.Errorf("4 MiB: got %v, want RequestEntityTooLarge", err)
	}
}

// largeRole returns a Role whose rules have a size, and a little more.
func largeRole(bytes int) *rbacv1.Role {
	role := &rbacv1.Role{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "Role"},
		ObjectMeta: metav1.ObjectMeta{GenerateName: "large-"},
	}
	name := strings.Repeat("n", 1<<10)
	for range bytes >> 10 {
		role.Rules = append(role.Rules, rbacv1.PolicyRule{
			APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"get"}, ResourceNames: []string{name},
		})
	}
	return role
}
