package conformance_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/conformance/page"
)

// TestPage: docs/conformance.md has all checks as they are.
func TestPage(t *testing.T) {
	files, err := page.Files("..")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		text, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(text)); diff != "" {
			t.Errorf("%s is not up to date, run make generate: -want, +got:\n%s", name, diff)
		}
	}
}
