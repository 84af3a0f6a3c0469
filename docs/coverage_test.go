// Package docs_test checks that the pages of docs/ agree with the product.
package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/hack/kepcoverage"
)

const root = ".."

// TestUpToDate checks the pages that are generated from the tags beside the tests.
func TestUpToDate(t *testing.T) { checkPages(t, kepcoverage.Files) }

// checkPages checks that generated pages are as they would be generated now.
func checkPages(t *testing.T, generate func(root string) (map[string][]byte, error)) {
	t.Helper()
	pages, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range pages {
		got, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(got), string(want)); diff != "" {
			t.Errorf("%s is out of date, run: make generate\n-have, +want:\n%s", file, diff)
		}
	}
}

// TestNoPromises checks that no statement is left for later.
func TestNoPromises(t *testing.T) {
	text := coverage(t)
	for _, word := range []string{"later", "todo", "fixme", "tbd", "not implemented", "unimplemented yet", "future work", "to be done"} {
		at := regexp.MustCompile(`(?i)\b` + word + `\b`).FindStringIndex(text)
		if at != nil {
			t.Errorf("line %d says %q", 1+strings.Count(text[:at[0]], "\n"), word)
		}
	}
}

func coverage(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, kepcoverage.Statements.File))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
