package docs_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestGoExamples verifies that each section of go-api.md about a package shows code of its
// example_test.go, which the tests of the package compile and run.
func TestGoExamples(t *testing.T) {
	page, err := os.ReadFile("go-api.md")
	if err != nil {
		t.Fatal(err)
	}
	section := regexp.MustCompile("(?ms)^## ([a-z0-9/]+)\n.*?^```go\n(.*?)^```\n") //nolint:gocritic // with (?m), ^ begins a line
	sections := section.FindAllSubmatch(page, -1)
	if len(sections) < 10 {
		t.Fatalf("%d sections with code", len(sections))
	}
	for _, section := range sections {
		file := "../" + string(section[1]) + "/example_test.go"
		code, err := os.ReadFile(file) //nolint:gosec // a file of this repository, which the page names
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.Contains(string(code), string(section[2])) {
			t.Errorf("the code of section %s is not in %s", section[1], file)
		}
	}
}
