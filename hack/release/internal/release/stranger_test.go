package release_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestStranger lets newcomers try the archive: the session of the README, and the first ten minutes
// of three people.
func TestStranger(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "go", "run", "./test/stranger", "--archive", name(t, ".tar.gz"))
	cmd.Dir = root
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	page := read(t, root+"/docs/reports/first-day.md")
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, " | ")
		if !strings.HasPrefix(line, "| ") || len(cells) < 3 { // who, command, seconds
			continue
		}
		if row := cells[0] + " | " + cells[1] + " | "; !strings.Contains(page, row) {
			t.Errorf("docs/reports/first-day.md has no row %q; run: make stranger", row)
		}
	}
}
