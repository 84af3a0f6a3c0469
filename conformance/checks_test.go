package conformance_test

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/cosi-emu/cosi-emu/conformance"
)

// TestChecks: IDs are unique and stable in form, and each check has all that explains it.
func TestChecks(t *testing.T) {
	id, seen := regexp.MustCompile(`^[A-Z]{2}-\d{2}$`), map[string]bool{}
	for _, c := range conformance.Checks() {
		if !id.MatchString(c.ID) || seen[c.ID] {
			t.Errorf("ID %q is not valid, or not unique", c.ID)
		}
		seen[c.ID] = true
		if c.Title == "" || c.Sentence == "" || c.Source == "" || !slices.Contains(conformance.Profiles(), c.Profile) {
			t.Errorf("%s lacks a title, a sentence, a source or a profile: %+v", c.ID, c)
		}
	}
}

// TestClasses: each known class of failures is named by a check.
func TestClasses(t *testing.T) {
	for i := range 25 {
		class := fmt.Sprintf("D%02d", i+1)
		if !slices.ContainsFunc(conformance.Checks(), func(c conformance.Check) bool { return slices.Contains(c.Classes, class) }) {
			t.Errorf("class %s is named by no check", class)
		}
	}
}
