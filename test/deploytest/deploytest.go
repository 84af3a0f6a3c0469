// Package deploytest builds the kustomizations of this repository for tests, as `kubectl apply -k`
// does, so that tests use the manifests that a cluster gets.
package deploytest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/cosi-emu/cosi-emu/internal/manifest"
)

// module is the directory, in the repository, of the module that pins kustomize.
const module = "test/kustomize"

// Build returns the objects of the kustomization in dir, in the order in which
// they are applied. The test fails if it does not build.
func Build(tb testing.TB, dir string) []*unstructured.Unstructured {
	tb.Helper()
	absolute, err := filepath.Abs(dir)
	if err != nil {
		tb.Fatal(err)
	}
	cmd := exec.CommandContext(tb.Context(), "go", "tool", "-C", findModule(tb),
		"kustomize", "build", "--reorder", "none", absolute) // kubectl does not sort either
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	built, err := cmd.Output()
	if err != nil {
		tb.Fatalf("build the kustomization %s: %v\n%s", dir, err, stderr.String())
	}
	objects, err := manifest.Decode(built)
	if err != nil {
		tb.Fatalf("decode the kustomization %s: %v", dir, err)
	}
	return objects
}

// findModule returns the directory of the module, which is in a parent of the test's directory.
func findModule(tb testing.TB) string {
	tb.Helper()
	parent, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		dir := filepath.Join(parent, module)
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if parent == filepath.Dir(parent) {
			tb.Fatalf("no parent of the test's directory has %s/go.mod", module)
		}
		parent = filepath.Dir(parent)
	}
}

// PodTemplates returns the Pod templates of the Deployments and Jobs among the
// objects, by the names of the Deployments and Jobs.
func PodTemplates(tb testing.TB, objects []*unstructured.Unstructured) map[string]corev1.PodTemplateSpec {
	tb.Helper()
	templates := map[string]corev1.PodTemplateSpec{}
	for _, object := range objects {
		if !slices.Contains([]string{"DaemonSet", "Deployment", "Job"}, object.GetKind()) {
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
