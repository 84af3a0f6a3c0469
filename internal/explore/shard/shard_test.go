package shard

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
)

func someCases() []plan.Case {
	var cases []plan.Case
	for n := range 20 {
		point := run.Point{Component: "sidecar", Seam: journal.SeamRPC, Operation: "DriverCreateBucket", Subject: "bc-*", Nth: n + 1}
		for _, trial := range plan.TimingOf(plan.DefaultCallTimeout).Trials([]run.Point{point}, nil, "") {
			cases = append(cases, plan.Case{trial})
		}
	}
	return cases
}

func TestParseShard(t *testing.T) {
	for text, want := range map[string]Shard{"": {}, "1/1": {1, 1}, "2/4": {2, 4}, "10/10": {10, 10}} {
		if got, err := Parse(text); got != want || err != nil || got.String() != text {
			t.Errorf("%q: got %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"0/4", "5/4", "1", "a/b", "1/", "-1/2", "1/2/3"} {
		if _, err := Parse(text); !errors.Is(err, plan.ErrOptions) {
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
			got, err := ParseIndexed(tc.text, func(string) string { return tc.index })
			if got != tc.want || errors.Is(err, plan.ErrOptions) != tc.wrong {
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
		selected := shard.Select(cases)
		reversed := slices.Clone(cases)
		slices.Reverse(reversed)
		again := shard.Select(reversed)
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
	if len((Shard{}).Select(cases)) != len(cases) {
		t.Error("without a shard, not all cases are selected")
	}
}
