package scale

import (
	"math"
	"testing"
)

func TestOneClaim(t *testing.T) {
	s, m := newTestEnvironment(t), newRequestCounter()
	o := newOneClaim(4)
	if err := s.withComponents(t.Context(), m, func() error { return o.run(t.Context(), s, m) }); err != nil {
		t.Fatal(err)
	}
	checkFigures(t, o.figures(), 2)
	for _, c := range o {
		if c.asked.calls["DriverRevokeBucketAccess"] != c.size {
			t.Errorf("of %d accesses, not all were granted and revoked: %v", c.size, c.asked.calls)
		}
	}
}

func TestExponent(t *testing.T) {
	t.Parallel()
	sizes := []int{250, 500, 1000}
	cases := map[string]struct {
		reason string
		sizes  []int
		values []float64
		want   float64
	}{
		"Constant":  {"it does not grow", sizes, []float64{7, 7, 7}, 0},
		"Linear":    {"twice as many take twice as long", sizes, []float64{1, 2, 4}, 1},
		"Quadratic": {"twice as many take four times as long", sizes, []float64{3, 12, 48}, 2},
		"Between":   {"noise in the middle changes nothing", sizes, []float64{1, 3, 4}, 1},
		"One":       {"a single size has no growth", []int{1, 1, 1}, []float64{1, 2, 3}, 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := exponent(c.sizes, c.values); math.Abs(got-c.want) > 1e-9 {
				t.Errorf("%s: got %v, want %v", c.reason, got, c.want)
			}
		})
	}
}
