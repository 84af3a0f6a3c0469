package docs_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestThreatModel verifies that the tests that threat-model.md names are in the files that it links.
func TestThreatModel(t *testing.T) {
	page, err := os.ReadFile("threat-model.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("\\[`(Test[A-Za-z0-9]+)`\\]\\(([^)]+)\\)").FindAllStringSubmatch(string(page), -1)
	if len(named) < 30 {
		t.Fatalf("%d tests", len(named))
	}
	for _, link := range named {
		code, err := os.ReadFile(link[2]) //nolint:gosec // a file of this repository, which the page names
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.Contains(string(code), "func "+link[1]+"(") {
			t.Errorf("%s has no test %s", link[2], link[1])
		}
	}
}
