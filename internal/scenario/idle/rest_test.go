package idle

import (
	"testing"
	"time"
)

func TestRest(t *testing.T) {
	type moments [2]int // milliseconds from the beginning
	cases := map[string]struct {
		reason string
		spans  [][]moments // of each call, 100 ms after the previous one
		want   int64       // milliseconds
	}{
		"Idle":       {"nothing was in flight", [][]moments{nil, nil}, 200},
		"Busy":       {"one operation follows another", [][]moments{{{0, 60}, {60, 100}}, {{100, 200}}}, 0},
		"Gaps":       {"the time between operations counts", [][]moments{{{10, 30}, {50, 90}}}, 40},
		"Overlap":    {"the time of two at once counts once", [][]moments{{{20, 80}, {10, 40}}}, 30},
		"Unordered":  {"the journal has operations in the order of their ends", [][]moments{{{50, 60}, {0, 90}}}, 10},
		"Pending":    {"an operation in flight is one until now", [][]moments{{{40, 100}}, {{40, 150}}}, 90},
		"BeforeThat": {"what has ended before does not count again", [][]moments{nil, {{0, 50}}}, 200},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			began := time.Unix(1, 0)
			at := func(ms int) time.Time { return began.Add(time.Duration(ms) * time.Millisecond) }
			r := rest{until: began}
			for i, call := range tc.spans {
				var spans []span
				for _, s := range call {
					spans = append(spans, span{at(s[0]), at(s[1])})
				}
				r.add(spans, at((i+1)*100))
			}
			if got := r.total.Milliseconds(); got != tc.want {
				t.Errorf("%s: rested for %d ms, want %d", tc.reason, got, tc.want)
			}
		})
	}
}
