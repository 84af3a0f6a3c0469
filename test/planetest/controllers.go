package planetest

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
)

// garbage has ConfigMaps that own others.
type garbage struct {
	*fixture

	maps    corev1client.ConfigMapInterface
	classes dynamic.ResourceInterface
}

func (f *fixture) testGarbageCollection(t *testing.T) {
	g := &garbage{
		f, f.kube.CoreV1().ConfigMaps(f.namespace(t)),
		dynamic.NewForConfigOrDie(f.config).Resource(v1alpha2.SchemeGroupVersion.WithResource("bucketclasses")),
	}
	t.Run("Background", g.testBackground)
	t.Run("Foreground", g.testForeground)
	t.Run("Orphan", g.testOrphan)
	t.Run("OwnerThatNeverWas", g.testOwnerThatNeverWas)
	t.Run("OneOwnerOfTwo", g.testOneOwnerOfTwo)
	t.Run("CustomOwner", g.testCustomOwner)
	t.Run("OwnerInAnotherNamespace", f.testOwnerInAnotherNamespace)
	t.Run("OwnerInANamespaceOfNone", g.testOwnerInANamespaceOfNone)
	t.Run("OwnerInUnservedVersion", g.testOwnerInUnservedVersion)
}

// testOwnerInAnotherNamespace: a reference means an object in its own namespace. After a restart, the
// controllers find the wrong reference before the owner, and know the owner's dependents all the same.
func (f *fixture) testOwnerInAnotherNamespace(t *testing.T) {
	ctx, here, elsewhere := testContext(t), f.namespace(t), f.namespace(t)
	claims := dynamic.NewForConfigOrDie(f.config).Resource(v1alpha2.SchemeGroupVersion.WithResource("bucketclaims")).Namespace(here)
	owner := must(claims.Create(ctx, newClaim(), metav1.CreateOptions{}))(t)
	child := configMap("child", nil)
	child.OwnerReferences = referTo(owner)
	must(f.kube.CoreV1().ConfigMaps(here).Create(ctx, child, metav1.CreateOptions{}))(t)
	stray := child.DeepCopy()
	stray.Finalizers = []string{"cosi.example/test"}
	strays := f.kube.CoreV1().ConfigMaps(elsewhere)
	must(strays.Create(ctx, stray, metav1.CreateOptions{}))(t)
	t.Cleanup(func() { // or its namespace stays
		release := []byte(`{"metadata":{"finalizers":null}}`)
		must(strays.Patch(testContext(t), "child", types.MergePatchType, release, metav1.PatchOptions{}))(t)
	})
	until(t, "the object with the wrong reference is being deleted", func() bool {
		return must(strays.Get(ctx, "child", metav1.GetOptions{}))(t).DeletionTimestamp != nil
	})
	f.untilReported(t, elsewhere, "child")
	f.restartControllers(t)
	if err := claims.Delete(ctx, owner.GetName(), metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	until(t, "the owned object is deleted", func() bool {
		_, err := f.kube.CoreV1().ConfigMaps(here).Get(ctx, "child", metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	})
}

func newClaim(finalizers ...string) *unstructured.Unstructured {
	claim := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": v1alpha2.SchemeGroupVersion.String(), "kind": "BucketClaim", "metadata": map[string]any{"name": "claim"},
		"spec": map[string]any{"bucketClassName": "none", "protocols": []any{"S3"}},
	}}
	claim.SetFinalizers(finalizers)
	return claim
}

func referTo(owner *unstructured.Unstructured) []metav1.OwnerReference {
	return []metav1.OwnerReference{{
		APIVersion: owner.GetAPIVersion(), Kind: owner.GetKind(), Name: owner.GetName(), UID: owner.GetUID(),
	}}
}

// untilReported waits for the Event about a reference to another namespace.
func (f *fixture) untilReported(t *testing.T, namespace, name string) {
	t.Helper()
	until(t, "an Event says that the reference is wrong", func() bool {
		list := must(f.kube.CoreV1().Events(namespace).List(testContext(t), metav1.ListOptions{}))(t)
		return slices.ContainsFunc(list.Items, func(e corev1.Event) bool {
			return e.InvolvedObject.Name == name && e.Reason == "OwnerRefInvalidNamespace" && e.Type == corev1.EventTypeWarning
		})
	})
}

// restartControllers returns when they know all objects again.
func (f *fixture) restartControllers(t *testing.T) {
	t.Helper()
	ctx := testContext(t)
	if err := f.plane.StopComponent(ctx, controlplane.ControllerManager); err != nil {
		t.Fatal(err)
	}
	if err := f.plane.StartComponent(ctx, controlplane.ControllerManager); err != nil {
		t.Fatal(err)
	}
	if err := f.plane.WaitReady(ctx); err != nil {
		t.Fatal(err)
	}
}

// testOwnerInANamespaceOfNone: the reference of a cluster-scoped object to a namespaced owner is ambiguous, so the
// object is kept.
func (g *garbage) testOwnerInANamespaceOfNone(t *testing.T) {
	ctx := testContext(t)
	owner := must(g.maps.Create(ctx, configMap("namespaced", nil), metav1.CreateOptions{}))(t)
	class := newClass("of-namespaced")
	class.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID}})
	must(g.classes.Create(ctx, class, metav1.CreateOptions{}))(t)
	g.untilReported(t, metav1.NamespaceDefault, class.GetName())
	g.untilCollected(t, "after-namespaced")
	if kept := must(g.classes.Get(ctx, class.GetName(), metav1.GetOptions{}))(t); kept.GetDeletionTimestamp() != nil {
		t.Error("the object is being deleted")
	}
}

// testOwnerInUnservedVersion: the owner cannot be looked up, so the object is kept.
func (g *garbage) testOwnerInUnservedVersion(t *testing.T) {
	ctx := testContext(t)
	child := configMap("of-unserved", nil)
	child.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: v1alpha2.GroupName + "/v9", Kind: "BucketClass", Name: "none", UID: "unserved",
	}}
	must(g.maps.Create(ctx, child, metav1.CreateOptions{}))(t)
	g.untilCollected(t, "after-unserved")
	if kept := must(g.maps.Get(ctx, child.Name, metav1.GetOptions{}))(t); kept.DeletionTimestamp != nil {
		t.Error("the object is being deleted")
	}
}

// untilCollected has an object collected that has no owner, so that earlier ones have been looked at.
func (g *garbage) untilCollected(t *testing.T, name string) {
	t.Helper()
	child := configMap(name, nil)
	child.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "none", UID: types.UID(name)}}
	must(g.maps.Create(testContext(t), child, metav1.CreateOptions{}))(t)
	until(t, name+" is deleted", g.gone(t, name))
}

// family creates a ConfigMap and another that it owns.
func (g *garbage) family(t *testing.T, name string, block bool, finalizers ...string) (owner, owned *corev1.ConfigMap) {
	t.Helper()
	ctx := testContext(t)
	owner = must(g.maps.Create(ctx, configMap(name, nil), metav1.CreateOptions{}))(t)
	child := configMap(name+"-child", nil)
	child.Finalizers = finalizers
	child.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID, BlockOwnerDeletion: &block,
	}}
	return owner, must(g.maps.Create(ctx, child, metav1.CreateOptions{}))(t)
}

// gone returns whether a ConfigMap is deleted.
func (g *garbage) gone(t *testing.T, name string) func() bool {
	t.Helper()
	ctx := testContext(t)
	return func() bool {
		_, err := g.maps.Get(ctx, name, metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	}
}

func (g *garbage) remove(t *testing.T, name string, policy metav1.DeletionPropagation) {
	t.Helper()
	if err := g.maps.Delete(testContext(t), name, metav1.DeleteOptions{PropagationPolicy: &policy}); err != nil {
		t.Fatal(err)
	}
}

func (g *garbage) testBackground(t *testing.T) {
	g.family(t, "background", false)
	g.remove(t, "background", metav1.DeletePropagationBackground)
	if !g.gone(t, "background")() {
		t.Error("the owner waits")
	}
	until(t, "the owned object is deleted", g.gone(t, "background-child"))
}

func (g *garbage) testForeground(t *testing.T) {
	ctx := testContext(t)
	g.family(t, "foreground", true, "cosi.example/test")
	g.remove(t, "foreground", metav1.DeletePropagationForeground)
	until(t, "the owned object is being deleted", func() bool {
		child, err := g.maps.Get(ctx, "foreground-child", metav1.GetOptions{})
		return err == nil && child.DeletionTimestamp != nil
	})
	if g.gone(t, "foreground")() {
		t.Error("the owner is gone before what it owns")
	}
	must(g.maps.Patch(ctx, "foreground-child", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{}))(t)
	until(t, "the owner is deleted", g.gone(t, "foreground"))
}

func (g *garbage) testOrphan(t *testing.T) {
	g.family(t, "orphan", true)
	g.remove(t, "orphan", metav1.DeletePropagationOrphan)
	until(t, "the owner is deleted", g.gone(t, "orphan"))
	child := must(g.maps.Get(testContext(t), "orphan-child", metav1.GetOptions{}))(t)
	if len(child.OwnerReferences) > 0 || child.DeletionTimestamp != nil {
		t.Errorf("the owned object is not free: %+v", child.ObjectMeta)
	}
}

func (g *garbage) testOwnerThatNeverWas(t *testing.T) {
	g.untilCollected(t, "lost")
}

func (g *garbage) testOneOwnerOfTwo(t *testing.T) {
	ctx := testContext(t)
	first, child := g.family(t, "two", false)
	second := must(g.maps.Create(ctx, configMap("second", nil), metav1.CreateOptions{}))(t)
	child.OwnerReferences = append(child.OwnerReferences, metav1.OwnerReference{
		APIVersion: "v1", Kind: "ConfigMap", Name: second.Name, UID: second.UID,
	})
	must(g.maps.Update(ctx, child, metav1.UpdateOptions{}))(t)
	g.remove(t, first.Name, metav1.DeletePropagationBackground)
	until(t, "the reference to the deleted owner is removed", func() bool {
		child := must(g.maps.Get(ctx, child.Name, metav1.GetOptions{}))(t)
		return len(child.OwnerReferences) == 1 && child.OwnerReferences[0].UID == second.UID
	})
}

func (g *garbage) testCustomOwner(t *testing.T) {
	ctx := testContext(t)
	class := must(g.classes.Create(ctx, newClass("owner"), metav1.CreateOptions{}))(t)
	child := configMap("of-class", nil)
	child.OwnerReferences = referTo(class)
	must(g.maps.Create(ctx, child, metav1.CreateOptions{}))(t)
	if err := g.classes.Delete(ctx, "owner", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	until(t, "the owned object is deleted", g.gone(t, "of-class"))
}

func newClass(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": v1alpha2.SchemeGroupVersion.String(), "kind": "BucketClass", "metadata": map[string]any{"name": name},
		"spec": map[string]any{"driverName": "cosi.example", "deletionPolicy": "Delete"},
	}}
}

// testNamespaceDeletionAcrossRestart: controllers that start empty a namespace only once they know all kinds.
func (f *fixture) testNamespaceDeletionAcrossRestart(t *testing.T) {
	ctx, name := testContext(t), f.namespace(t)
	claims := dynamic.NewForConfigOrDie(f.config).Resource(v1alpha2.SchemeGroupVersion.WithResource("bucketclaims")).Namespace(name)
	must(claims.Create(ctx, newClaim("cosi.example/test"), metav1.CreateOptions{}))(t)
	if err := f.kube.CoreV1().Namespaces().Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	until(t, "the claim is being deleted", func() bool {
		return must(claims.Get(ctx, "claim", metav1.GetOptions{}))(t).GetDeletionTimestamp() != nil
	})
	f.restartControllers(t)
	must(f.kube.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{}))(t)
	must(claims.Patch(ctx, "claim", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{}))(t)
	until(t, "the namespace is deleted", func() bool {
		_, err := f.kube.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	})
}

// testNamespaceDeletion deletes a namespace with objects, of which one has a finalizer.
func (f *fixture) testNamespaceDeletion(t *testing.T) {
	ctx := testContext(t)
	made := must(f.kube.CoreV1().Namespaces().Create(ctx,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "doomed-"}}, metav1.CreateOptions{}))(t)
	until(t, "there is a default ServiceAccount", func() bool {
		_, err := f.kube.CoreV1().ServiceAccounts(made.Name).Get(ctx, "default", metav1.GetOptions{})
		return err == nil
	})
	maps := f.kube.CoreV1().ConfigMaps(made.Name)
	stuck := configMap("stuck", nil)
	stuck.Finalizers = []string{"cosi.example/test"}
	must(maps.Create(ctx, stuck, metav1.CreateOptions{}))(t)
	must(maps.Create(ctx, configMap("free", nil), metav1.CreateOptions{}))(t)
	if err := f.kube.CoreV1().Namespaces().Delete(ctx, made.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	_, err := maps.Create(ctx, configMap("late", nil), metav1.CreateOptions{})
	if !apierrors.IsForbidden(err) || !apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		t.Errorf("an object in a terminating namespace: got %v, want Forbidden", err)
	}
	until(t, "the namespace says what is left", func() bool {
		namespace, err := f.kube.CoreV1().Namespaces().Get(ctx, made.Name, metav1.GetOptions{})
		return err == nil && namespace.Status.Phase == corev1.NamespaceTerminating &&
			slices.ContainsFunc(namespace.Status.Conditions, func(c corev1.NamespaceCondition) bool {
				return c.Type == corev1.NamespaceFinalizersRemaining && c.Status == corev1.ConditionTrue &&
					strings.Contains(c.Message, "cosi.example/test in 1 resource instances")
			})
	})
	must(maps.Patch(ctx, "stuck", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{}))(t)
	until(t, "the namespace is deleted", func() bool {
		_, err := f.kube.CoreV1().Namespaces().Get(ctx, made.Name, metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	})
}

func (f *fixture) testAggregation(t *testing.T) {
	ctx := testContext(t)
	role := must(f.kube.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: "part", Labels: map[string]string{"rbac.authorization.k8s.io/aggregate-to-view": "true"}},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{"cosi.example"}, Resources: []string{"things"}, Verbs: []string{"get"}}},
	}, metav1.CreateOptions{}))(t)
	has := func(name, resource string) bool {
		whole, err := f.kube.RbacV1().ClusterRoles().Get(ctx, name, metav1.GetOptions{})
		return err == nil && slices.ContainsFunc(whole.Rules, func(r rbacv1.PolicyRule) bool { return slices.Contains(r.Resources, resource) })
	}
	for _, name := range []string{"view", "edit", "admin"} {
		until(t, name+" has the rule, and its own", func() bool { return has(name, "things") && has(name, "configmaps") })
	}
	if err := f.kube.RbacV1().ClusterRoles().Delete(ctx, role.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	until(t, "admin does not have the rule any more", func() bool { return !has("admin", "things") })
}

func (f *fixture) testQuota(t *testing.T) {
	ctx, namespace := testContext(t), f.namespace(t)
	const ofClaims = corev1.ResourceName("count/bucketclaims.objectstorage.k8s.io")
	quotas := f.kube.CoreV1().ResourceQuotas(namespace)
	must(quotas.Create(ctx, &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "few"},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"secrets": resource.MustParse("1"), ofClaims: resource.MustParse("0")}},
	}, metav1.CreateOptions{}))(t)
	used := func(name corev1.ResourceName) int64 {
		quantity, ok := must(quotas.Get(ctx, "few", metav1.GetOptions{}))(t).Status.Used[name]
		if !ok {
			return -1
		}
		return quantity.Value()
	}
	until(t, "the quota is counted", func() bool { return used("secrets") == 0 && used(ofClaims) == 0 })
	secrets := f.kube.CoreV1().Secrets(namespace)
	must(secrets.Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "first"}}, metav1.CreateOptions{}))(t)
	create := func(dryRun ...string) error {
		_, err := secrets.Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "second"}}, metav1.CreateOptions{DryRun: dryRun})
		return err
	}
	// An API server admits without counting what comes before its own cache has the status of the quota.
	until(t, "the quota is enforced", func() bool { return apierrors.IsForbidden(create(metav1.DryRunAll)) })
	err := create()
	const message = "exceeded quota: few, requested: secrets=1, used: secrets=1, limited: secrets=1"
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), message) {
		t.Errorf("got %v, want Forbidden: %s", err, message)
	}
	if err := secrets.Delete(ctx, "first", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	until(t, "the deleted Secret is not counted", func() bool { return used("secrets") == 0 })
	until(t, "another Secret takes its place", func() bool { return create() == nil }) // the cache, again
}

// testQuotas has quotas that limit the same object, Events, and scopes.
func (f *fixture) testQuotas(t *testing.T) {
	ctx, namespace := testContext(t), f.namespace(t)
	quotas := f.kube.CoreV1().ResourceQuotas(namespace)
	limit := func(name string, spec corev1.ResourceQuotaSpec) error {
		_, err := quotas.Create(ctx, &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: spec}, metav1.CreateOptions{})
		return err
	}
	for name, spec := range map[string]corev1.ResourceQuotaSpec{
		"a-wide":   {Hard: hard(map[corev1.ResourceName]string{"secrets": "9", "count/events": "0", "count/events.events.k8s.io": "0"})},
		"b-narrow": {Hard: hard(map[corev1.ResourceName]string{"secrets": "0"})},
		"c-ending": {
			Hard:   hard(map[corev1.ResourceName]string{"pods": "0", "count/secrets": "0"}),
			Scopes: []corev1.ResourceQuotaScope{corev1.ResourceQuotaScopeTerminating},
		},
	} {
		if err := limit(name, spec); err != nil {
			t.Fatal(err)
		}
	}
	used := func(quota string, name corev1.ResourceName) int64 {
		quantity, ok := must(quotas.Get(ctx, quota, metav1.GetOptions{}))(t).Status.Used[name]
		if !ok {
			return -1
		}
		return quantity.Value()
	}
	until(t, "the quotas are counted", func() bool {
		return used("a-wide", "secrets") == 0 && used("b-narrow", "secrets") == 0 && used("c-ending", "pods") == 0
	})
	create := func(dryRun ...string) error {
		_, err := f.kube.CoreV1().Secrets(namespace).Create(ctx,
			&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "one"}}, metav1.CreateOptions{DryRun: dryRun})
		return err
	}
	until(t, "the quota is enforced", func() bool { return apierrors.IsForbidden(create(metav1.DryRunAll)) })
	if err := create(); !apierrors.IsForbidden(err) || used("a-wide", "secrets") != 0 {
		t.Errorf("got %v, and the other quota counts %d, want Forbidden, and 0", err, used("a-wide", "secrets"))
	}
	event := &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Name: "e"},
		InvolvedObject: corev1.ObjectReference{Kind: "Secret", Namespace: namespace, Name: "one"},
	}
	if _, err := f.kube.CoreV1().Events(namespace).Create(ctx, event, metav1.CreateOptions{}); err != nil {
		t.Errorf("no quota counts Events, but %v", err)
	}
	pod := func(name string, seconds *int64) error {
		_, err := f.kube.CoreV1().Pods(namespace).Create(ctx, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec:       corev1.PodSpec{ActiveDeadlineSeconds: seconds, Containers: []corev1.Container{{Name: "c", Image: "i"}}},
		}, metav1.CreateOptions{})
		return err
	}
	if err := pod("lasting", nil); err != nil {
		t.Errorf("a Pod outside of the scope: %v", err)
	}
	until(t, "the quota with a scope is enforced", func() bool { return apierrors.IsForbidden(pod("ending", new(int64(60)))) })
	f.testScopes(t, limit)
}

func hard(limits map[corev1.ResourceName]string) corev1.ResourceList {
	list := corev1.ResourceList{}
	for name, quantity := range limits {
		list[name] = resource.MustParse(quantity)
	}
	return list
}

// testScopes has quotas whose scopes are rejected.
func (f *fixture) testScopes(t *testing.T, limit func(name string, spec corev1.ResourceQuotaSpec) error) {
	t.Helper()
	for reason, spec := range map[string]corev1.ResourceQuotaSpec{
		"a scope for another resource": {
			Hard: hard(map[corev1.ResourceName]string{"secrets": "1"}), Scopes: []corev1.ResourceQuotaScope{corev1.ResourceQuotaScopeBestEffort},
		},
		"scopes that exclude each other": {Scopes: []corev1.ResourceQuotaScope{
			corev1.ResourceQuotaScopeTerminating, corev1.ResourceQuotaScopeNotTerminating,
		}},
		"an operator without values": {ScopeSelector: &corev1.ScopeSelector{MatchExpressions: []corev1.ScopedResourceSelectorRequirement{
			{ScopeName: corev1.ResourceQuotaScopePriorityClass, Operator: corev1.ScopeSelectorOpIn},
		}}},
		"an operator of other scopes": {ScopeSelector: &corev1.ScopeSelector{MatchExpressions: []corev1.ScopedResourceSelectorRequirement{
			{ScopeName: corev1.ResourceQuotaScopeTerminating, Operator: corev1.ScopeSelectorOpDoesNotExist},
		}}},
	} {
		if err := limit("wrong", spec); !apierrors.IsInvalid(err) {
			t.Errorf("%s: got %v, want Invalid", reason, err)
		}
	}
}
