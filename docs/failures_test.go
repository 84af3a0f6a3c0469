package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestKnownFailures: every failure has tests that exist, and no test that has the
// number of a failure is left out.
func TestKnownFailures(t *testing.T) {
	content, err := os.ReadFile("known-failures.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	failures := 0
	for line := range strings.Lines(string(content)) {
		cells := cellsOf(strings.TrimSpace(line))
		if len(cells) != 3 || !regexp.MustCompile(`^E\d\d`).MatchString(cells[0]) {
			continue
		}
		failures++
		if len(quoted(cells[2])) == 0 {
			t.Errorf("%s has no test", cells[0])
		}
		for _, test := range quoted(cells[2]) {
			if err := exists(test); err != nil {
				t.Errorf("%s: %v", cells[0], err)
			}
			named[test[strings.LastIndexByte(test, '.')+1:]] = true
		}
	}
	if failures < 60 {
		t.Errorf("%d failures: the table is not found any more", failures)
	}
	for _, test := range numberedTests(t) {
		if !named[test] {
			t.Errorf("%s is not in the table", test)
		}
	}
}

// numberedTests are the names of all tests in the repository against a failure.
func numberedTests(t *testing.T) []string {
	t.Helper()
	declared := regexp.MustCompile(`(?m)^func (TestE\d\d\w*)\(`)
	var found []string
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path) //nolint:gosec // a file of this repository
		for _, match := range declared.FindAllStringSubmatch(string(source), -1) {
			found = append(found, match[1])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
