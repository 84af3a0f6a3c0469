package figure

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSpread(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		times  []time.Duration
		want   Spread
	}{
		"One":  {"it is everything", []time.Duration{4e6}, Spread{Median: 4, Min: 4, Max: 4, Count: 1}},
		"Odd":  {"the order of measuring does not matter", []time.Duration{9e6, 1e6, 2e6}, Spread{Median: 2, Min: 1, Max: 9, Count: 3}},
		"Even": {"the two in the middle share", []time.Duration{1e6, 2e6, 3e6, 90e6}, Spread{Median: 2.5, Min: 1, Max: 90, Count: 4}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, Times(c.times)); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", c.reason, diff)
			}
		})
	}
}
