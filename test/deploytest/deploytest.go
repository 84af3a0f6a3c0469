// Package deploytest builds the kustomizations and the chart of this repository for tests, as `kubectl apply -k` and
// `helm install` do, so that tests use the manifests that a cluster gets.
package deploytest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/cosi-emu/cosi-emu/internal/manifest"
)

// Build returns the objects of the kustomization in dir, in the order in which
// they are applied. The test fails if it does not build.
func Build(tb testing.TB, dir string) []*unstructured.Unstructured {
	tb.Helper()
	// kubectl does not sort either.
	return decode(tb, tool(tb, "test/kustomize", "kustomize", "build", "--reorder", "none", absolute(tb, dir)))
}

// Template returns the objects of the release cosi of the Helm chart in dir, with its kinds, in the order in which they
// are installed. The arguments are flags of `helm template`, for example values.
func Template(tb testing.TB, dir, namespace string, args ...string) []*unstructured.Unstructured {
	tb.Helper()
	args = append([]string{"template", "cosi", absolute(tb, dir), "--namespace", namespace, "--include-crds"}, args...)
	return decode(tb, tool(tb, "test/helm", "helm", args...))
}

func absolute(tb testing.TB, dir string) string {
	tb.Helper()
	path, err := filepath.Abs(dir)
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

// tool runs a tool that a module of this repository pins, and returns its output.
func tool(tb testing.TB, module, name string, args ...string) []byte {
	tb.Helper()
	cmd := exec.CommandContext(tb.Context(), "go", append([]string{"tool", "-C", findModule(tb, module), name}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	built, err := cmd.Output()
	if err != nil {
		tb.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, stderr.String())
	}
	return built
}

func decode(tb testing.TB, text []byte) []*unstructured.Unstructured {
	tb.Helper()
	objects, err := manifest.Decode(text)
	if err != nil {
		tb.Fatalf("decode manifests: %v", err)
	}
	return objects
}

// findModule returns the directory of a module, which is in a parent of the test's directory.
func findModule(tb testing.TB, module string) string {
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
