package deploy_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/deploy"
	"github.com/cosi-emu/cosi-emu/internal/manifest"
	"github.com/cosi-emu/cosi-emu/test/deploytest"
)

// clusterScoped are the resources that are in no namespace.
var clusterScoped = []string{"buckets", "buckets/status", "bucketclasses", "bucketaccessclasses"}

// TestNamespacedRules verifies that deploy/rbac-namespaced has the rights of deploy/rbac in two parts: one for cluster-scoped
// resources, and one for each served namespace.
func TestNamespacedRules(t *testing.T) {
	for name, tc := range map[string]struct{ whole, parts string }{
		"cosi-controller":       {"rbac", "rbac-namespaced"},
		"cosi-sidecar":          {"rbac", "rbac-namespaced"},
		"cosi-sidecar-v1alpha1": {"rbac/v1alpha1", "rbac-namespaced/v1alpha1"},
	} {
		t.Run(name, func(t *testing.T) {
			want := map[string][]string{}
			for _, right := range rulesOf(t, deploytest.Build(t, tc.whole), name) {
				resource, _, _ := strings.Cut(right, " ")
				part := "namespaced"
				if slices.Contains(clusterScoped, resource) {
					part = "cluster-scoped"
				}
				want[part] = append(want[part], right)
			}
			parts, got := deploytest.Build(t, tc.parts), map[string][]string{}
			for _, part := range []string{"cluster-scoped", "namespaced"} {
				got[part] = rulesOf(t, parts, name+"-"+part)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

// rulesOf returns the rights of a ClusterRole, each as "resource verb", sorted.
func rulesOf(t *testing.T, objects []*unstructured.Unstructured, name string) []string {
	t.Helper()
	i := slices.IndexFunc(objects, func(o *unstructured.Unstructured) bool { return o.GetKind() == "ClusterRole" && o.GetName() == name })
	if i < 0 {
		t.Fatalf("no ClusterRole %s", name)
	}
	role := &rbacv1.ClusterRole{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(objects[i].Object, role, true); err != nil {
		t.Fatal(err)
	}
	var rights []string
	for _, rule := range role.Rules {
		for _, resource := range rule.Resources {
			for _, verb := range rule.Verbs {
				rights = append(rights, resource+" "+verb)
			}
		}
	}
	slices.Sort(rights)
	return rights
}

// TestNamespacedRights asks the API server for the rights of the components in a served namespace and in another one. Secrets of
// the other one are out of reach.
func TestNamespacedRights(t *testing.T) {
	c := connect(t)
	grantNamespaced(t, c)
	everywhere := map[string]map[string]string{
		deploy.SidecarServiceAccount: {
			"buckets": "get list watch patch", "buckets/status": "patch",
			"bucketclasses": "get", "bucketaccessclasses": "get list watch",
		},
		deploy.ControllerServiceAccount: {
			"buckets": "get list watch create patch delete", "bucketclasses": "get list watch", "bucketaccessclasses": "get list watch",
		},
	}
	served := map[string]map[string]string{
		deploy.SidecarServiceAccount: {
			"bucketclaims":   "get list watch",
			"bucketaccesses": "get list watch patch", "bucketaccesses/status": "patch", "bucketaccesses/finalizers": "update",
			"secrets": "get list watch create update patch delete",
		},
		deploy.ControllerServiceAccount: {
			"bucketclaims": "get list watch patch", "bucketclaims/status": "patch",
			"bucketaccesses": "get list watch patch", "bucketaccesses/status": "patch",
		},
	}
	for account, rights := range everywhere {
		for namespace, want := range map[string]map[string]string{"somewhere": rights, "served": merged(rights, served[account])} {
			expectRights(t, c, namespacedComponents+":"+account, namespace, want)
		}
	}
}

// namespacedComponents is the namespace of the ServiceAccounts: other tests of the control plane grant the rights in the whole
// cluster to the ones of cosi-system.
const namespacedComponents = "cosi-namespaced"

// grantNamespaced grants the rights of deploy/rbac-namespaced, in the namespace "served".
func grantNamespaced(t *testing.T, c client.Client) {
	t.Helper()
	const served = "served"
	namespace := &unstructured.Unstructured{}
	namespace.SetAPIVersion("v1")
	namespace.SetKind("Namespace")
	namespace.SetName(served)
	objects := []*unstructured.Unstructured{namespace}
	for _, dir := range []string{"rbac-namespaced", "rbac-namespaced/v1alpha1"} {
		objects = append(objects, deploytest.Build(t, dir)...)
		for _, object := range deploytest.Build(t, dir+"/served") {
			object.SetNamespace(served)
			objects = append(objects, object)
		}
	}
	for _, object := range objects {
		text, err := object.MarshalJSON()
		if err == nil {
			err = object.UnmarshalJSON([]byte(strings.ReplaceAll(string(text), deploy.Namespace, namespacedComponents)))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := manifest.Apply(t.Context(), c, objects); err != nil {
		t.Fatal(err)
	}
}

func merged(sets ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, set := range sets {
		maps.Copy(all, set)
	}
	return all
}
