// Package deploytest builds the kustomizations of this repository for tests, as
// `kubectl apply -k` does, so that what is tested is what a cluster gets.
package deploytest

import (
	"encoding/json"
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// Build returns the objects of the kustomization in dir, in the order in which
// they are applied. The test fails if it does not build.
func Build(tb testing.TB, dir string) []*unstructured.Unstructured {
	tb.Helper()
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		tb.Fatalf("build the kustomization %s: %v", dir, err)
	}
	var objects []*unstructured.Unstructured
	for _, resource := range built.Resources() {
		// By way of JSON, because kustomize's own maps have Go's integers.
		data, err := resource.MarshalJSON()
		object := &unstructured.Unstructured{}
		if err := errors.Join(err, json.Unmarshal(data, object)); err != nil {
			tb.Fatalf("%s: %s: %v", dir, resource.CurId(), err)
		}
		objects = append(objects, object)
	}
	return objects
}

// PodTemplates returns the Pod templates of the Deployments and Jobs among the
// objects, by the names of the Deployments and Jobs.
func PodTemplates(tb testing.TB, objects []*unstructured.Unstructured) map[string]corev1.PodTemplateSpec {
	tb.Helper()
	templates := map[string]corev1.PodTemplateSpec{}
	for _, object := range objects {
		if object.GetKind() != "Deployment" && object.GetKind() != "Job" {
			continue
		}
		content, found, err := unstructured.NestedMap(object.Object, "spec", "template")
		if err != nil || !found {
			tb.Fatalf("%s %s has no Pod template: %v", object.GetKind(), object.GetName(), err)
		}
		var template corev1.PodTemplateSpec
		if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(content, &template, true); err != nil {
			tb.Fatalf("Pod template of %s %s: %v", object.GetKind(), object.GetName(), err)
		}
		templates[object.GetName()] = template
	}
	return templates
}
