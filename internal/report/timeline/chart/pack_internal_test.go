package chart

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestPack(t *testing.T) {
	tests := map[string]struct {
		reason string
		items  []*item
		rows   int
		shown  []bool
	}{
		"After": {
			reason: "One row is enough.",
			items:  []*item{{from: 0, to: 10, label: "a"}, {from: 50, to: 60, label: "b"}},
			rows:   1, shown: []bool{true, true},
		},
		"Together": {reason: "Two rows are needed.", items: []*item{{from: 0, to: 10}, {from: 5, to: 15}}, rows: 2, shown: []bool{false, false}},
		"Label": {
			reason: "The label would be covered.",
			items:  []*item{{from: 0, to: 10, label: "label"}, {from: 20, to: 30}},
			rows:   2, shown: []bool{true, false},
		},
		"Inside": {
			reason: "The label is in the bar.",
			items:  []*item{{from: 0, to: 100, label: "label"}, {from: 102, to: 110}},
			rows:   1, shown: []bool{true, false},
		},
		"FullLabel": {
			reason: "Labels go when there are no more rows.",
			items:  []*item{{from: 0, to: 4, label: "label"}, {from: 1, to: 5, label: "label"}, {from: 8, to: 12, label: "label"}},
			rows:   2, shown: []bool{false, true, true},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			rows := pack(tc.items, 2)
			shown := make([]bool, len(tc.items))
			for i, one := range tc.items {
				shown[i] = one.shown
			}
			if rows != tc.rows || !slices.Equal(shown, tc.shown) {
				t.Errorf("%s %d rows, labels %v; want %d, %v", tc.reason, rows, shown, tc.rows, tc.shown)
			}
		})
	}
}

func TestPackNeverCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same in each run
	var items []*item
	at := 0.0
	for range 500 {
		at += random.Float64() * 30
		items = append(items, &item{from: at, to: at + random.Float64()*60, label: strings.Repeat("x", random.IntN(20))})
	}
	pack(items, 1000)
	for i, a := range items {
		for _, b := range items[i+1:] {
			if a.row == b.row && a.end() > b.from {
				t.Fatalf("%+v covers %+v", *a, *b)
			}
		}
	}
}
