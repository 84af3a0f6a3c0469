package suite_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/scenarios/loader"
)

var (
	// numbered is the first column of the tables in docs/: what scenarios prove.
	numbered = regexp.MustCompile(`(?m)^\| ([A-Z][A-Z0-9., -]*\d) \|`)
	// driverFailure is a known failure of drivers.
	driverFailure = regexp.MustCompile(`^D\d\d$`)
)

// provable returns the numbers of all statements of the KEP and of the specification of
// v1alpha1, and of all known failures.
func provable(t *testing.T) []string {
	t.Helper()
	var numbers []string
	for _, file := range []string{"kep-coverage.md", "v1alpha1-coverage.md", "known-failures.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "docs", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range numbered.FindAllSubmatch(text, -1) {
			numbers = append(numbers, strings.Split(string(found[1]), ", ")...)
		}
	}
	return numbers
}

// TestDocuments: every scenario says what it is, in which area, and what it is
// evidence of, and is found by its name.
func TestDocuments(t *testing.T) {
	set, err := loader.LoadSuite()
	if err != nil {
		t.Fatal(err)
	}
	numbers := provable(t)
	files := map[string]string{}
	for _, s := range set.Scenarios {
		file := s.Position.File
		if want := strings.TrimSuffix(filepath.Base(file), ".yaml"); s.Name != want {
			t.Errorf("%s: the name is %q, and that of the file %q", file, s.Name, want)
		}
		if other, twice := files[s.Name]; twice {
			t.Errorf("%s: the name %q is that of %s, too", file, s.Name, other)
		}
		files[s.Name] = file
		if len(strings.Fields(s.Description)) < 5 {
			t.Errorf("%s: the description %q is too short to say anything", file, s.Description)
		}
		if s.Labels["area"] == "" {
			t.Errorf("%s: there is no label area", file)
		}
		if len(s.Proves) == 0 {
			t.Errorf("%s: nothing is proved", file)
		}
		for _, proved := range s.Proves {
			if !slices.Contains(numbers, proved) && !driverFailure.MatchString(proved) {
				t.Errorf("%s: %s is no number in docs/kep-coverage.md, docs/v1alpha1-coverage.md or docs/known-failures.md", file, proved)
			}
		}
	}
	if len(set.Scenarios) < 60 {
		t.Errorf("there are %d scenarios, and should be 60", len(set.Scenarios))
	}
}
