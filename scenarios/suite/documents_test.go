package suite_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/scenario/loader"
	"github.com/cosi-emu/cosi-emu/internal/scenario/requirements"
	"github.com/cosi-emu/cosi-emu/internal/scenario/spec"
)

var (
	// numbered is the first column of the tables in docs/, the numbers that scenarios prove.
	numbered      = regexp.MustCompile(`(?m)^\| ([A-Z][A-Z0-9., -]*\d) \|`)
	driverFailure = regexp.MustCompile(`^D\d\d$`)
)

// olderGeneration is the folder of the scenarios for v1alpha1, the prefix of their names,
// and their label api.
const olderGeneration = "v1alpha1"

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

// nameOf returns the name of the scenario in a file. Names are unique in the suite, so scenarios
// for v1alpha1 have a prefix.
func nameOf(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), ".yaml")
	if strings.HasPrefix(filepath.ToSlash(file), olderGeneration+"/") {
		return olderGeneration + "-" + name
	}
	return name
}

// TestDocuments: every scenario has a description, an area and the numbers that it proves, and is
// found by its name.
func TestDocuments(t *testing.T) {
	set, err := loader.LoadSuite()
	if err != nil {
		t.Fatal(err)
	}
	numbers := provable(t)
	files, older := map[string]string{}, 0
	for _, s := range set.Scenarios {
		file := s.Position.File
		if want := nameOf(file); s.Name != want {
			t.Errorf("%s: the name is %q, and that of the file %q", file, s.Name, want)
		}
		if other, twice := files[s.Name]; twice {
			t.Errorf("%s: the name %q is that of %s, too", file, s.Name, other)
		}
		files[s.Name] = file
		checkDocument(t, s, numbers)
		if isOlder := strings.HasPrefix(s.Name, olderGeneration+"-"); isOlder != (s.Labels["api"] == olderGeneration) {
			t.Errorf("%s: the label api must be %s for the scenarios in that folder, and for no other", file, olderGeneration)
		} else if isOlder {
			older++
		}
	}
	if newer := len(set.Scenarios) - older; newer < 60 || older < 48 {
		t.Errorf("there are %d scenarios of v1alpha2 and %d of v1alpha1, and should be 60 and 48", newer, older)
	}
}

// hasParameters reports whether classes for the driver have parameters.
func hasParameters(setup *spec.Setup) bool {
	return slices.ContainsFunc(setup.Classes, func(c spec.Class) bool { return len(c.Parameters) > 0 }) ||
		slices.ContainsFunc(setup.AccessClasses, func(c spec.AccessClass) bool { return len(c.Parameters) > 0 })
}

func checkDocument(t *testing.T, s *spec.Scenario, numbers []string) {
	t.Helper()
	file := s.Position.File
	if len(strings.Fields(s.Description)) < 5 {
		t.Errorf("%s: the description %q is too short to say anything", file, s.Description)
	}
	if s.Labels["area"] == "" {
		t.Errorf("%s: there is no label area", file)
	}
	if hasParameters(&s.Setup) && s.Labels[requirements.LabelFakeDriver] == "" {
		t.Errorf("%s: its classes have parameters, which another driver may reject: give it the label %s", file, requirements.LabelFakeDriver)
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
