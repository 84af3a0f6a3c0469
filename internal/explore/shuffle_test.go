package explore_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/explore"
)

// TestShuffle has a seed decide the order of scenarios, and lose none.
func TestShuffle(t *testing.T) {
	files := []string{"a.yaml", "b.yaml", "c.yaml", "d.yaml", "e.yaml", "f.yaml"}
	drawn := func(seed uint64) (names []string) {
		sources := make([]explore.Source, len(files))
		for i, file := range files {
			sources[i].File = file
		}
		explore.Shuffle(sources, seed)
		for _, source := range sources {
			names = append(names, source.File)
		}
		return names
	}
	first := drawn(1)
	if diff := cmp.Diff(first, drawn(1)); diff != "" {
		t.Errorf("same seed, another order: -first +second\n%s", diff)
	}
	if cmp.Equal(first, drawn(2)) || cmp.Equal(first, files) {
		t.Errorf("seeds 1 and 2: %v and %v, want different orders", first, drawn(2))
	}
	if diff := cmp.Diff(files, slices.Sorted(slices.Values(first))); diff != "" {
		t.Errorf("scenarios: -want +got\n%s", diff)
	}
}
