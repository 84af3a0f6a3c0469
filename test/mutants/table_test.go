package mutants

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPage compares the page with the mutants and the patches.
func TestPage(t *testing.T) {
	files, err := Files(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s: run: make generate-go; -want, +got:\n%s", name, diff)
		}
	}
}

// TestNames verifies that names are unique, and that every mutant is complete.
func TestNames(t *testing.T) {
	const least = 15
	seen := map[string]bool{}
	for _, d := range All() {
		_, ok := ByName(d.Name)
		if !ok || seen[d.Name] || d.Bug == "" || len(d.Culprits) == 0 || len(d.Oracles) == 0 || (len(d.Kinds) == 0) != (d.At == "") {
			t.Errorf("%+v: want a name of its own, a bug, a culprit, oracles, and effects with a place", d)
		}
		exists(t, d.Name, d.file())
		seen[d.Name] = true
	}
	if len(seen) < least {
		t.Errorf("%d mutants, want at least %d", len(seen), least)
	}
}
