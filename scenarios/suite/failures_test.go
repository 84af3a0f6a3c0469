package suite_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/scenario/loader"
)

var (
	// knownFailure matches a row of docs/known-failures.md, with one number or several.
	knownFailure = regexp.MustCompile(`(?m)^\| (E\d\d(?:, E\d\d)*) \|.*$`)
	// elsewhere matches a row of README.md: a number that no scenario can show, the reason, and the
	// test that shows it.
	elsewhere = regexp.MustCompile("(?m)^\\| (E\\d\\d) \\| .+ \\| `(.+)` \\|$")
)

func rows(t *testing.T, file string, row *regexp.Regexp) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for _, match := range row.FindAllStringSubmatch(string(text), -1) {
		for number := range strings.SplitSeq(match[1], ", ") {
			found[number] = match
		}
	}
	return found
}

// TestKnownFailures: every known failure has a scenario, or README.md explains why it cannot have
// one and which test replaces it.
func TestKnownFailures(t *testing.T) {
	set, err := loader.LoadSuite()
	if err != nil {
		t.Fatal(err)
	}
	var proved []string
	for _, s := range set.Scenarios {
		proved = append(proved, s.Proves...)
	}
	known := rows(t, filepath.Join("..", "..", "docs", "known-failures.md"), knownFailure)
	excused := rows(t, "README.md", elsewhere)
	if len(known) < 70 {
		t.Errorf("%d failures: the table in docs/known-failures.md is not found any more", len(known))
	}
	for number, row := range known {
		excuse, isExcused := excused[number]
		switch {
		case slices.Contains(proved, number) == isExcused:
			t.Errorf("%s must either be proved by a scenario, or stand in README.md", number)
		case isExcused && !strings.Contains(row[0], "`"+excuse[2]+"`"):
			t.Errorf("%s: README.md names %s, which docs/known-failures.md does not", number, excuse[2])
		}
	}
	for number := range excused {
		if _, ok := known[number]; !ok {
			t.Errorf("README.md lists %s, but docs/known-failures.md does not", number)
		}
	}
}
