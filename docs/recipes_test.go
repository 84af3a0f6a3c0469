package docs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/manifest"
)

// TestRecipesHaveScenarios checks that the page names each scenario of the recipes, and no other, and that each recipe has a
// scenario or a test. TestLinks finds links to files that do not exist.
func TestRecipesHaveScenarios(t *testing.T) {
	page, err := os.ReadFile("recipes.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../scenarios/suite/recipes/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		if !strings.Contains(string(page), "("+filepath.ToSlash(file)+")") {
			t.Errorf("recipes.md does not name %s", file)
		}
	}
	named := strings.Count(string(page), "\nScenario: ") + strings.Count(string(page), "\nTest: ")
	if recipes := strings.Count(string(page), "\n## "); recipes != named {
		t.Errorf("recipes.md has %d recipes, and %d have a scenario or a test", recipes, named)
	}
}

// TestRecipesAreManifests checks that the blocks of YAML are objects of v1alpha2.
func TestRecipesAreManifests(t *testing.T) {
	page, err := os.ReadFile("recipes.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "```yaml\n")[1:]
	for _, block := range blocks {
		text, _, _ := strings.Cut(block, "```")
		objects, err := manifest.Decode([]byte(text))
		if err != nil || len(objects) == 0 {
			t.Errorf("%v in:\n%s", err, text)
		}
	}
	if len(blocks) == 0 {
		t.Error("there are no manifests")
	}
}

// TestStaticRecipe compares the recipe of the static driver with what `cosi-emu example --static` prints.
func TestStaticRecipe(t *testing.T) {
	page, err := os.ReadFile("recipes.md")
	if err != nil {
		t.Fatal(err)
	}
	_, recipe, _ := strings.Cut(string(page), "\n## Use a bucket of a provider without a driver\n")
	recipe, _, _ = strings.Cut(recipe, "\n## ")
	var manifests []string
	for _, block := range strings.Split(recipe, "```yaml\n")[1:] {
		text, _, _ := strings.Cut(block, "```")
		manifests = append(manifests, text)
	}
	want, err := os.ReadFile("../examples/static.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), strings.Join(manifests, "---\n")); diff != "" {
		t.Errorf("-examples/static.yaml +recipes.md:\n%s", diff)
	}
}
