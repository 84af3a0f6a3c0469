package controlplane_test

import (
	"context"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/cosi-emu/cosi-emu/apis/crds"
	"github.com/cosi-emu/cosi-emu/apis/objectstorage/v1alpha2"
	"github.com/cosi-emu/cosi-emu/internal/emulator/controlplane"
)

func TestInstallCRDs(t *testing.T) {
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
	// They are served the moment that InstallCRDs returns, without the two
	// seconds for which an API server holds up objects of new kinds.
	began := time.Now()
	classes := dynamic.NewForConfigOrDie(c.AdminConfig()).Resource(v1alpha2.SchemeGroupVersion.WithResource("bucketclasses"))
	if _, err := classes.Create(ctx, bucketClass("first"), metav1.CreateOptions{}); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("the first object took %v", took)
	}
	checkReplaced(ctx, t, c)
	checkRejected(ctx, t, c)
}

func checkReplaced(ctx context.Context, t *testing.T, c *controlplane.ControlPlane) {
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

func checkRejected(ctx context.Context, t *testing.T, c *controlplane.ControlPlane) {
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
