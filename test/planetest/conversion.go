package planetest

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// testNamespaceConversionDown: an object whose conversion webhook does not answer keeps its namespace. kube-controller-manager
// lists the preferred version, although the API server stores another one.
func (f *fixture) testNamespaceConversionDown(t *testing.T) {
	ctx, name := testContext(t), f.namespace(t)
	definitions := clientset.NewForConfigOrDie(f.config).ApiextensionsV1().CustomResourceDefinitions()
	definition := convertedKind()
	must(definitions.Create(ctx, definition, metav1.CreateOptions{}))(t)
	t.Cleanup(func() {
		if err := definitions.Delete(testContext(t), definition.Name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	stored := schema.GroupVersionResource{Group: definition.Spec.Group, Version: "v1", Resource: definition.Spec.Names.Plural}
	objects := dynamic.NewForConfigOrDie(f.config).Resource(stored).Namespace(name)
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": stored.GroupVersion().String(), "kind": definition.Spec.Names.Kind, "metadata": map[string]any{"name": "kept"},
	}}
	until(t, "the kind is served", func() bool {
		_, err := objects.Create(ctx, object, metav1.CreateOptions{})
		return err == nil
	})
	if err := f.kube.CoreV1().Namespaces().Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	until(t, "the namespace says that its content cannot be deleted", func() bool {
		return slices.ContainsFunc(must(f.kube.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{}))(t).Status.Conditions,
			func(c corev1.NamespaceCondition) bool {
				return c.Type == corev1.NamespaceDeletionContentFailure && c.Status == corev1.ConditionTrue
			})
	})
	must(objects.Get(ctx, "kept", metav1.GetOptions{}))(t)
	must(definitions.Patch(ctx, definition.Name, types.MergePatchType, []byte(`{"spec":{"conversion":{"strategy":"None","webhook":null}}}`),
		metav1.PatchOptions{}))(t)
	until(t, "the namespace is deleted", func() bool {
		_, err := f.kube.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	})
}

// convertedKind is stored as v1, and preferred as v2. Nothing listens where its webhook is.
func convertedKind() *apiextensionsv1.CustomResourceDefinition {
	version := func(name string, isStored bool) apiextensionsv1.CustomResourceDefinitionVersion {
		return apiextensionsv1.CustomResourceDefinitionVersion{
			Name: name, Served: true, Storage: isStored,
			Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object"}},
		}
	}
	nowhere := "https://127.0.0.1:1/convert"
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "converteds.cosi.example"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "cosi.example", Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{
				Plural: "converteds", Singular: "converted", Kind: "Converted", ListKind: "ConvertedList",
			},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{version("v1", true), version("v2", false)},
			Conversion: &apiextensionsv1.CustomResourceConversion{
				Strategy: apiextensionsv1.WebhookConverter,
				Webhook: &apiextensionsv1.WebhookConversion{
					ConversionReviewVersions: []string{"v1"}, ClientConfig: &apiextensionsv1.WebhookClientConfig{URL: &nowhere},
				},
			},
		},
	}
}
