package shard

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/internal/explore/cause"
	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
)

func TestMergeStates(t *testing.T) {
	dir, cases := t.TempDir(), someCases()
	first, third := writeShard(t, dir, "1", "a", Shard{1, 3}), writeShard(t, dir, "3", "a", Shard{3, 3})
	all := filepath.Join(dir, "all")
	merged, err := Merge(t.Context(), all, first, third, first)
	if err != nil {
		t.Fatal(err)
	}
	want := len((Shard{1, 3}).Select(cases)) + len((Shard{3, 3}).Select(cases))
	if len(merged.Results) != want || merged.Scenario != "story" || merged.States != 3 {
		t.Errorf("got %d cases of %d states of %s, want %d of 3 of story", len(merged.Results), merged.States, merged.Scenario, want)
	}
	if diff := cmp.Diff([]Shard{{2, 3}}, merged.Missing); diff != "" {
		t.Errorf("missing shards: -want +got\n%s", diff)
	}
	s, err := Open(t.Context(), all, []byte("a"), "story", Shard{})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.done) != want || len(s.Found) != 2 {
		t.Errorf("the merged state has %d cases, %d of them with findings", len(s.done), len(s.Found))
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	expectMergeRejects(t, dir, all, first, third)
}

// writeShard writes the state of a shard that has tried all its cases, the first with a finding,
// and returns its path.
func writeShard(t *testing.T, dir, name, text string, shard Shard) string {
	t.Helper()
	path := filepath.Join(dir, name)
	s, err := Open(t.Context(), path, []byte(text), "story", shard)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range shard.Select(someCases()) {
		result := cause.Result{Case: c, Reached: true, Runs: 1}
		if i == 0 {
			result.Findings = []checks.Finding{{Oracle: "leak", Message: shard.String()}}
		}
		s.Add(t.Context(), result)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return path
}

func expectMergeRejects(t *testing.T, dir, all, first, third string) {
	t.Helper()
	other := writeShard(t, dir, "b", "b", Shard{2, 3})
	if _, err := Merge(t.Context(), filepath.Join(dir, "other"), first, other); !errors.Is(err, plan.ErrOptions) {
		t.Errorf("states of two scenarios: got %v, want ErrOptions", err)
	}
	if _, err := Merge(t.Context(), all, first, third); !errors.Is(err, os.ErrExist) {
		t.Errorf("an existing file: got %v, want ErrExist", err)
	}
	if _, err := Open(t.Context(), first, []byte("a"), "story", Shard{2, 3}); !errors.Is(err, plan.ErrOptions) {
		t.Errorf("the state of another shard: got %v, want ErrOptions", err)
	}
}
