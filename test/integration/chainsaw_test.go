package integration_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/cosi-emu/cosi-emu/internal/manifest"
	"github.com/cosi-emu/cosi-emu/scenarios"
)

// objectsIn returns the objects of a file of an example for chainsaw.
func objectsIn(t *testing.T, name string) []*unstructured.Unstructured {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", "chainsaw", name))
	if err != nil {
		t.Fatal(err)
	}
	objects, err := manifest.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// TestChainsawFiles applies the objects of the example for chainsaw, as chainsaw does: in a namespace of its own. Its
// assertions hold, and its errors, after the deletion. The example for kuttl has the same files. TestLongChainsaw of
// cmd/cosi-emu runs chainsaw and kuttl, which take minutes to build.
func TestChainsawFiles(t *testing.T) {
	story := scenarios.New("chainsaw")
	for _, object := range objectsIn(t, "objects.yaml") {
		story.Apply(scenarios.Fields(object.Object))
	}
	name := func(o *unstructured.Unstructured) string { return o.GetKind() + "/" + o.GetName() }
	for _, object := range objectsIn(t, "ready.yaml") {
		story.Expect(name(object), scenarios.Fields(object.Object))
	}
	story.Delete("BucketAccess/app")
	for _, object := range objectsIn(t, "revoked.yaml") {
		story.Expect(name(object), scenarios.Absent)
	}
	story.Run(t)
}

// TestKuttlFiles verifies that the examples for chainsaw and kuttl have the same objects.
func TestKuttlFiles(t *testing.T) {
	for chainsaw, kuttl := range map[string]string{
		"objects.yaml": "00-objects.yaml", "ready.yaml": "00-assert.yaml", "revoked.yaml": "01-errors.yaml",
	} {
		var texts [][]byte
		for _, file := range []string{filepath.Join("chainsaw", chainsaw), filepath.Join("kuttl", "photos", kuttl)} {
			text, err := os.ReadFile(filepath.Join("..", "..", "examples", file))
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, text)
		}
		if !bytes.Equal(texts[0], texts[1]) {
			t.Errorf("%s and %s differ; copy one to the other", chainsaw, kuttl)
		}
	}
	tests := objectsIn(t, "chainsaw-test.yaml")
	if !slices.ContainsFunc(tests, func(o *unstructured.Unstructured) bool { return o.GetKind() == "Test" }) {
		t.Error("chainsaw-test.yaml has no Test")
	}
}
