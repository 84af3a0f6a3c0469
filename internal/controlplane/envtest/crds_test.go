//go:build unix

package envtest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/controlplane"
	"github.com/cosi-emu/cosi-emu/internal/controlplane/envtest"
)

func TestProgramsInstallCRDs(t *testing.T) {
	ctx := testContext(t)
	c := start(t, controlplane.Options{})
	kinds, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	older := make([]*apiextensionsv1.CustomResourceDefinition, 0, len(kinds))
	for _, kind := range kinds {
		old := kind.DeepCopy()
		old.Spec.Names.ShortNames = []string{"old" + old.Spec.Names.Singular}
		older = append(older, old)
	}
	for _, install := range [][]*apiextensionsv1.CustomResourceDefinition{older, kinds, kinds} {
		if err := controlplane.InstallCRDs(ctx, c.AdminConfig(), install); err != nil {
			t.Fatal(err)
		}
	}
	classes := dynamic.NewForConfigOrDie(c.AdminConfig()).Resource(v1alpha2.SchemeGroupVersion.WithResource("bucketclasses"))
	if _, err := classes.Create(ctx, bucketClass("first"), metav1.CreateOptions{}); err != nil {
		t.Error(err)
	}
	checkReplaced(ctx, t, c)
	checkRejected(ctx, t, c)
	checkServedAtOnce(ctx, t, c)
}

// checkServedAtOnce expects that objects of new kinds can be created as soon as InstallCRDs
// returns. Otherwise, the API server delays each first create for two seconds. On a busy machine
// one create may take as long, but not each of several.
func checkServedAtOnce(ctx context.Context, t *testing.T, c *envtest.ControlPlane) {
	t.Helper()
	const holdUp, kinds = 2 * time.Second, 5
	var took []time.Duration
	for n := range kinds {
		kind := newKind(fmt.Sprintf("thing%d", n))
		if err := controlplane.InstallCRDs(ctx, c.AdminConfig(), []*apiextensionsv1.CustomResourceDefinition{kind}); err != nil {
			t.Fatal(err)
		}
		names := kind.Spec.Names
		resource := schema.GroupVersionResource{Group: kind.Spec.Group, Version: "v1", Resource: names.Plural}
		first := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": resource.GroupVersion().String(), "kind": names.Kind, "metadata": map[string]any{"name": "first"},
		}}
		began := time.Now()
		if _, err := dynamic.NewForConfigOrDie(c.AdminConfig()).Resource(resource).Create(ctx, first, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		took = append(took, time.Since(began))
		if took[n] < holdUp {
			return
		}
	}
	t.Errorf("the first objects of new kinds took %v, want one of them less than %s", took, holdUp)
}

// newKind returns the definition of a kind that no other test installs.
func newKind(singular string) *apiextensionsv1.CustomResourceDefinition {
	const group = "test.example"
	plural := singular + "s"
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: plural + "." + group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: group, Scope: apiextensionsv1.ClusterScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{
				Plural: plural, Singular: singular, Kind: strings.ToUpper(singular[:1]) + singular[1:],
			},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object"}},
			}},
		},
	}
}

func checkReplaced(ctx context.Context, t *testing.T, c *envtest.ControlPlane) {
	t.Helper()
	installed, err := clientset.NewForConfigOrDie(c.AdminConfig()).ApiextensionsV1().CustomResourceDefinitions().
		Get(ctx, "bucketclasses."+v1alpha2.SchemeGroupVersion.Group, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range installed.Spec.Names.ShortNames {
		if name == "oldbucketclass" {
			t.Errorf("an older definition was not replaced: %v", installed.Spec.Names.ShortNames)
		}
	}
}

func checkRejected(ctx context.Context, t *testing.T, c *envtest.ControlPlane) {
	t.Helper()
	bad := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: "bad"}}
	if err := controlplane.InstallCRDs(ctx, c.AdminConfig(), []*apiextensionsv1.CustomResourceDefinition{bad}); !apierrors.IsInvalid(err) {
		t.Errorf("got %v", err)
	}
}

func bucketClass(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": v1alpha2.SchemeGroupVersion.String(),
		"kind":       "BucketClass",
		"metadata":   map[string]any{"name": name},
		"spec":       map[string]any{"driverName": "example.com", "deletionPolicy": "Delete"},
	}}
}
