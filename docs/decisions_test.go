package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDecisions verifies that decisions are numbered without a gap, have the three sections, and
// stand in the index under their titles.
func TestDecisions(t *testing.T) {
	index, err := os.ReadFile("decisions/README.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("decisions/[0-9]*.md")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d decisions, %v", len(files), err)
	}
	title := regexp.MustCompile(`^# (\d+)\. (.+)\n`)
	for i, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(file)
		found := title.FindSubmatch(content)
		if len(found) != 3 || string(found[1]) != fmt.Sprint(i+1) || !strings.HasPrefix(name, fmt.Sprintf("%03d-", i+1)) {
			t.Fatalf("%s: file name and title must have the number %d", file, i+1)
		}
		if row := fmt.Sprintf("| %03d | [%s](%s) |\n", i+1, found[2], name); !strings.Contains(string(index), row) {
			t.Errorf("decisions/README.md lacks the row %s", row)
		}
		for _, section := range []string{"\n## Context\n", "\n## Decision\n", "\n## Consequence\n"} {
			if strings.Count(string(content), section) != 1 {
				t.Errorf("%s must have one section %s", file, strings.TrimSpace(section))
			}
		}
	}
}
