package planetest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
)

func (f *fixture) testDiscovery(t *testing.T) {
	ctx := testContext(t)
	client := must(discovery.NewDiscoveryClientForConfig(f.config))(t)
	t.Run("Resources", f.testResources)
	// The older form, which some clients ask for.
	plain := must(client.RESTClient().Get().AbsPath("/apis").SetHeader("Accept", "application/json").DoRaw(ctx))(t)
	groups := &metav1.APIGroupList{}
	if err := json.Unmarshal(plain, groups); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(groups.Groups, func(g metav1.APIGroup) bool { return g.Name == v1alpha2.SchemeGroupVersion.Group }) {
		t.Errorf("/apis has no group of COSI: %s", plain)
	}
	version := must(client.ServerVersion())(t)
	if version.Major != "1" || !strings.HasPrefix(version.GitVersion, "v1.") {
		t.Errorf("version %+v", version)
	}
	t.Run("OpenAPI", f.testOpenAPI)
	t.Run("NotServed", func(t *testing.T) {
		things := schema.GroupVersionResource{Group: "none.example", Version: "v1", Resource: "things"}
		_, err := dynamic.NewForConfigOrDie(f.config).Resource(things).List(ctx, metav1.ListOptions{})
		if !apierrors.IsNotFound(err) {
			t.Errorf("got %v, want NotFound", err)
		}
	})
	t.Run("Health", func(t *testing.T) {
		for _, path := range []string{"/healthz", "/livez", "/readyz"} {
			if got := must(client.RESTClient().Get().AbsPath(path).DoRaw(ctx))(t); string(got) != "ok" {
				t.Errorf("%s: %s", path, got)
			}
		}
	})
}

// testResources lists the resources that the server prefers.
func (f *fixture) testResources(t *testing.T) {
	client := must(discovery.NewDiscoveryClientForConfig(f.config))(t)
	lists := must(client.ServerPreferredResources())(t)
	found := map[string]metav1.APIResource{}
	for _, list := range lists {
		for _, r := range list.APIResources {
			found[list.GroupVersion+" "+r.Name] = r
		}
	}
	for name, want := range map[string]metav1.APIResource{
		"v1 secrets":    {Kind: "Secret", SingularName: "secret", Namespaced: true, Verbs: verbs(true)},
		"v1 namespaces": {Kind: "Namespace", SingularName: "namespace", ShortNames: []string{"ns"}, Verbs: verbs(false)},
		"v1 pods": {
			Kind: "Pod", SingularName: "pod", Namespaced: true, ShortNames: []string{"po"}, Categories: []string{"all"}, Verbs: verbs(true),
		},
		"coordination.k8s.io/v1 leases":                     {Kind: "Lease", SingularName: "lease", Namespaced: true, Verbs: verbs(true)},
		"rbac.authorization.k8s.io/v1 clusterroles":         {Kind: "ClusterRole", SingularName: "clusterrole", Verbs: verbs(true)},
		"authorization.k8s.io/v1 subjectaccessreviews":      {Kind: "SubjectAccessReview", SingularName: "subjectaccessreview", Verbs: metav1.Verbs{"create"}},                                                                             //nolint:lll // one case a line
		"apiextensions.k8s.io/v1 customresourcedefinitions": {Kind: "CustomResourceDefinition", SingularName: "customresourcedefinition", ShortNames: []string{"crd", "crds"}, Categories: []string{"api-extensions"}, Verbs: verbs(true)}, //nolint:lll // as above
	} {
		got := found[name]
		got.Name, got.StorageVersionHash, got.Group, got.Version = "", "", "", ""
		slices.Sort(got.Verbs)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
	bucket := found[v1alpha2.SchemeGroupVersion.String()+" buckets"]
	if bucket.Kind != "Bucket" {
		t.Errorf("the kinds of COSI are not listed: %+v", bucket)
	}
}

func verbs(collection bool) metav1.Verbs {
	all := metav1.Verbs{"create", "delete", "get", "list", "patch", "update", "watch"}
	if collection {
		all = append(all, "deletecollection")
	}
	slices.Sort(all)
	return all
}

func (f *fixture) testOpenAPI(t *testing.T) {
	client := must(discovery.NewDiscoveryClientForConfig(f.config))(t)
	v2 := must(client.OpenAPISchema())(t)
	names := map[string]bool{}
	for _, d := range v2.GetDefinitions().GetAdditionalProperties() {
		names[d.GetName()] = true
	}
	for _, want := range []string{
		"io.k8s.api.core.v1.Secret", "io.k8s.api.rbac.v1.Role", "io.k8s.objectstorage.v1alpha2.BucketClaim",
		"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition",
	} {
		if !names[want] {
			t.Errorf("OpenAPI v2 has no definition %s", want)
		}
	}
	paths := must(client.OpenAPIV3().Paths())(t)
	for path, want := range map[string]string{
		"api/v1": `"io.k8s.api.core.v1.Secret"`, "apis/" + v1alpha2.SchemeGroupVersion.String(): `"io.k8s.objectstorage.v1alpha2.BucketClaim"`,
	} {
		group, ok := paths[path]
		if !ok {
			t.Errorf("OpenAPI v3 has no path %s", path)
			continue
		}
		if schema := must(group.Schema("application/json"))(t); !strings.Contains(string(schema), want) {
			t.Errorf("OpenAPI v3 of %s has no %s", path, want)
		}
	}
}

// testTables has the columns that kubectl prints.
func (f *fixture) testTables(t *testing.T) {
	ctx, namespace := testContext(t), f.namespace(t)
	in := "/api/v1/namespaces/" + namespace
	for path, want := range map[string]string{
		"/api/v1/namespaces":                       "Name Status Age",
		"/api/v1/nodes":                            "Name Status Roles Age Version Internal-IP External-IP OS-Image Kernel-Version Container-Runtime", //nolint:lll // one table a line
		in + "/secrets":                            "Name Type Data Age",
		in + "/configmaps":                         "Name Data Age",
		in + "/serviceaccounts":                    "Name Age",
		in + "/pods":                               "Name Ready Status Restarts Age IP Node Nominated Node Readiness Gates",
		in + "/events":                             "Last Seen Type Reason Object Subobject Source Message First Seen Count Name",
		in + "/resourcequotas":                     "Name Request Limit Age",
		"/apis/coordination.k8s.io/v1/leases":      "Name Holder Age",
		"/apis/events.k8s.io/v1/events":            "Last Seen Type Reason Object Subobject Source Message First Seen Count Name",
		"/apis/rbac.authorization.k8s.io/v1/roles": "Name Created At",
		"/apis/rbac.authorization.k8s.io/v1/clusterrolebindings":     "Name Role Age Users Groups ServiceAccounts",
		"/apis/apiextensions.k8s.io/v1/customresourcedefinitions":    "",
		"/apis/" + v1alpha2.SchemeGroupVersion.String() + "/buckets": "",
	} {
		t.Run(strings.ReplaceAll(strings.ReplaceAll(path, namespace, "NAMESPACE"), "/", " "), func(t *testing.T) {
			data := must(f.kube.CoreV1().RESTClient().Get().AbsPath(path).
				SetHeader("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io").DoRaw(ctx))(t)
			table := &metav1.Table{}
			if err := json.Unmarshal(data, table); err != nil {
				t.Fatal(err)
			}
			var columns []string
			for _, column := range table.ColumnDefinitions {
				columns = append(columns, column.Name)
			}
			if got := strings.Join(columns, " "); want != "" && got != want || table.Kind != "Table" || len(columns) < 2 {
				t.Errorf("kind %s, columns %q, want %q", table.Kind, got, want)
			}
			for _, row := range table.Rows {
				if len(row.Cells) != len(columns) {
					t.Errorf("%d cells in %d columns", len(row.Cells), len(columns))
				}
			}
		})
	}
}
