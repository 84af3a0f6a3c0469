package e2e_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// permutations are all the orders of some things.
func permutations[T any](things ...T) [][]T {
	if len(things) == 0 {
		return [][]T{nil}
	}
	var all [][]T
	for i := range things {
		others := slices.Delete(slices.Clone(things), i, i+1)
		for _, rest := range permutations(others...) {
			all = append(all, append([]T{things[i]}, rest...))
		}
	}
	return all
}

func TestPermutations(t *testing.T) {
	want := [][]string{{"a", "b", "c"}, {"a", "c", "b"}, {"b", "a", "c"}, {"b", "c", "a"}, {"c", "a", "b"}, {"c", "b", "a"}}
	if diff := cmp.Diff(want, permutations("a", "b", "c")); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
