package explore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
)

func someCases() []Case {
	var cases []Case
	for n := range 20 {
		point := Point{"sidecar", journal.SeamRPC, "DriverCreateBucket", "bc-*", n + 1}
		for _, trial := range timingOf(DefaultCallTimeout).trials([]Point{point}, nil, "") {
			cases = append(cases, Case{trial})
		}
	}
	return cases
}

func TestParseShard(t *testing.T) {
	for text, want := range map[string]Shard{"": {}, "1/1": {1, 1}, "2/4": {2, 4}, "10/10": {10, 10}} {
		if got, err := ParseShard(text); got != want || err != nil || got.String() != text {
			t.Errorf("%q: got %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"0/4", "5/4", "1", "a/b", "1/", "-1/2", "1/2/3"} {
		if _, err := ParseShard(text); !errors.Is(err, ErrOptions) {
			t.Errorf("%q: got %v, want ErrOptions", text, err)
		}
	}
}

// TestShardOf verifies that a Pod of an Indexed Job gets its number, from 0.
func TestShardOf(t *testing.T) {
	tests := map[string]struct {
		text, index string
		want        Shard
		wrong       bool
	}{
		"First":    {text: "index/4", index: "0", want: Shard{1, 4}},
		"Last":     {text: "index/4", index: "3", want: Shard{4, 4}},
		"Beyond":   {text: "index/4", index: "4", wrong: true},
		"Negative": {text: "index/4", index: "-1", wrong: true},
		"Unset":    {text: "index/4", wrong: true},
		"NoCount":  {text: "index/", index: "0", wrong: true},
		"Number":   {text: "2/4", index: "0", want: Shard{2, 4}},
		"All":      {index: "0"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := ShardOf(tc.text, func(string) string { return tc.index })
			if got != tc.want || errors.Is(err, ErrOptions) != tc.wrong {
				t.Errorf("got %v, %v, want %v", got, err, tc.want)
			}
		})
	}
}

// TestShards verifies that each case is in one shard, in any order of the cases.
func TestShards(t *testing.T) {
	cases := someCases()
	count := map[string]int{}
	for i := range 4 {
		shard := Shard{i + 1, 4}
		selected := shard.of(cases)
		reversed := slices.Clone(cases)
		slices.Reverse(reversed)
		again := shard.of(reversed)
		slices.Reverse(again)
		if fmt.Sprint(selected) != fmt.Sprint(again) {
			t.Errorf("shard %s depends on the order", shard)
		}
		if len(selected) == 0 || len(selected) > len(cases)/2 {
			t.Errorf("shard %s has %d of %d cases", shard, len(selected), len(cases))
		}
		for _, c := range selected {
			count[c.String()]++
		}
	}
	for _, c := range cases {
		if count[c.String()] != 1 {
			t.Errorf("%s is in %d shards", c, count[c.String()])
		}
	}
	if len((Shard{}).of(cases)) != len(cases) {
		t.Error("without a shard, not all cases are selected")
	}
}

func TestMerge(t *testing.T) {
	dir, cases := t.TempDir(), someCases()
	first, third := writeShard(t, dir, "1", "a", Shard{1, 3}), writeShard(t, dir, "3", "a", Shard{3, 3})
	all := filepath.Join(dir, "all")
	report, err := Merge(t.Context(), all, first, third, first)
	if err != nil {
		t.Fatal(err)
	}
	want := len((Shard{1, 3}).of(cases)) + len((Shard{3, 3}).of(cases))
	if report.Tried != want || report.Runs != want || report.Scenario != "story" || len(report.Findings) == 0 {
		t.Errorf("got %+v, want %d cases of story with findings", report, want)
	}
	if diff := cmp.Diff([]Shard{{2, 3}}, report.MissingShards); diff != "" {
		t.Errorf("missing shards: -want +got\n%s", diff)
	}
	s, err := openState(t.Context(), Options{Text: []byte("a"), State: all})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.done) != want || len(s.old) != 2 {
		t.Errorf("the merged state has %d cases, %d of them with findings", len(s.done), len(s.old))
	}
	if err := s.close(t.Context()); err != nil {
		t.Fatal(err)
	}
	expectMergeRejects(t, dir, all, first, third)
}

// writeShard writes the state of a shard that has tried all its cases, the first with a finding,
// and returns its path.
func writeShard(t *testing.T, dir, name, text string, shard Shard) string {
	t.Helper()
	path := filepath.Join(dir, name)
	s, err := openState(t.Context(), Options{Text: []byte(text), State: path, Shard: shard, scenario: "story"})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range shard.of(someCases()) {
		result := caseResult{Case: c, Reached: true, Runs: 1}
		if i == 0 {
			result.Findings = []checks.Finding{{Oracle: "leak", Message: shard.String()}}
		}
		s.add(t.Context(), result)
	}
	if err := s.close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return path
}

func expectMergeRejects(t *testing.T, dir, all, first, third string) {
	t.Helper()
	other := writeShard(t, dir, "b", "b", Shard{2, 3})
	if _, err := Merge(t.Context(), filepath.Join(dir, "other"), first, other); !errors.Is(err, ErrOptions) {
		t.Errorf("states of two scenarios: got %v, want ErrOptions", err)
	}
	if _, err := Merge(t.Context(), all, first, third); !errors.Is(err, os.ErrExist) {
		t.Errorf("an existing file: got %v, want ErrExist", err)
	}
	if _, err := openState(t.Context(), Options{Text: []byte("a"), State: first, Shard: Shard{2, 3}}); !errors.Is(err, ErrOptions) {
		t.Errorf("the state of another shard: got %v, want ErrOptions", err)
	}
}
