package explore

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cosi-emu/cosi-emu/internal/explore/cause"
	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
	"github.com/cosi-emu/cosi-emu/internal/explore/shard"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// TestMerge verifies that the report of merged shards counts their cases, and has their findings.
func TestMerge(t *testing.T) {
	dir := t.TempDir()
	var states []string
	for i, kind := range []plan.Kind{plan.Fail, plan.Delay} {
		states = append(states, filepath.Join(dir, string(kind)))
		s, err := shard.Open(t.Context(), states[i], []byte("a"), "story", shard.Shard{Index: i + 1, Count: 3})
		if err != nil {
			t.Fatal(err)
		}
		s.Add(t.Context(), cause.Result{Case: plan.Case{{Kind: kind}}, Runs: 2, Findings: []checks.Finding{{Oracle: vocabulary.Leak}}})
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(dir, "all")
	got, err := Merge(t.Context(), out, states...)
	if err != nil {
		t.Fatal(err)
	}
	cases := []string{plan.Case{{Kind: plan.Delay}}.String(), plan.Case{{Kind: plan.Fail}}.String()}
	want := &Report{
		Scenario: "story", State: out, Merged: 2, MissingShards: []shard.Shard{{Index: 3, Count: 3}}, Tried: 2, Runs: 4, Unreached: cases,
		Findings: []cause.Group{{Oracle: vocabulary.Leak, Case: plan.Case{{Kind: plan.Delay}}, Cases: cases}},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(cause.Group{}, "Results", "Shown")); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
