package scenarios_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
	"github.com/cosi-emu/cosi-emu/scenarios"
)

var fenced = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```\n") //nolint:gocritic // with (?m), ^ begins a line

// TestDocumentation runs every scenario of docs/scenarios.md, and every list of steps as one. Parts
// of a scenario are only parsed.
func TestDocumentation(t *testing.T) {
	page, err := os.ReadFile("../docs/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := fenced.FindAllSubmatchIndex(page, -1)
	if len(blocks) < 12 {
		t.Errorf("the page has %d blocks of YAML", len(blocks))
	}
	dir := t.TempDir()
	for i, block := range blocks {
		text := string(page[block[2]:block[3]])
		head := fmt.Sprintf("apiVersion: %s\nkind: %s\nname: block-%d\n", spec.APIVersion, spec.Kind, i)
		switch {
		case strings.HasPrefix(text, "allow:"):
			text = head + text + "steps: [{settle: }]\n"
		case strings.HasPrefix(text, "-"):
			text = head + "steps:\n" + text
		}
		if _, err := (spec.Loader{}).Parse("docs/scenarios.md", []byte(text)); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
		if strings.HasPrefix(string(page[block[2]:block[3]]), "allow:") {
			continue // it needs a failure
		}
		name := filepath.Join(dir, fmt.Sprintf("%02d.yaml", i))
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil { //nolint:gosec // in the test's own directory
			t.Fatal(err)
		}
	}
	scenarios.Run(t, filepath.Join(dir, "*.yaml"), scenarios.AllowExec())
}

// TestShortest counts the lines of the first scenario of the page.
func TestShortest(t *testing.T) {
	page, err := os.ReadFile("../docs/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(fenced.FindSubmatch(page)[1]), "\n"); lines > 10 {
		t.Errorf("the shortest useful scenario has %d lines, want at most 10", lines)
	}
}
