package conformance

import (
	"slices"
	"testing"
)

// TestConsequences: checks that explain others, and those that they explain, exist.
func TestConsequences(t *testing.T) {
	t.Parallel()
	var known []string
	for _, check := range Checks() {
		known = append(known, check.ID)
	}
	named := slices.Clone(basic)
	for _, call := range calls {
		named = slices.Concat(named, call.causes, call.consequences)
	}
	for _, id := range named {
		if !slices.Contains(known, id) {
			t.Errorf("check %s does not exist", id)
		}
	}
}
