package explore

import (
	"path/filepath"
	"testing"

	"github.com/cosi-emu/cosi-emu/internal/oracle"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestMerge verifies that the report of merged shards counts their cases, and has their findings.
func TestMerge(t *testing.T) {
	dir := t.TempDir()
	var states []string
	for i, kind := range []Kind{Fail, Delay} {
		states = append(states, filepath.Join(dir, string(kind)))
		s, err := openState(t.Context(), states[i], []byte("a"), "story", Shard{i + 1, 3})
		if err != nil {
			t.Fatal(err)
		}
		s.add(t.Context(), caseResult{Case: Case{{Kind: kind}}, Runs: 2, Findings: []oracle.Finding{{Oracle: oracle.Leak}}})
		if err := s.close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(dir, "all")
	got, err := Merge(t.Context(), out, states...)
	if err != nil {
		t.Fatal(err)
	}
	cases := []string{Case{{Kind: Delay}}.String(), Case{{Kind: Fail}}.String()}
	want := &Report{
		Scenario: "story", State: out, Merged: 2, MissingShards: []Shard{{3, 3}}, Tried: 2, Runs: 4, Unreached: cases,
		Findings: []Group{{Oracle: oracle.Leak, Case: Case{{Kind: Delay}}, Cases: cases}},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Group{}, "outcomes", "shown")); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
