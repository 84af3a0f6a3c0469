package scale

import (
	"math"
	"slices"
	"testing"

	"github.com/cosi-emu/cosi-emu/test/bench/figure"
)

func TestSizesUpTo(t *testing.T) {
	for most, want := range map[int][]int{25000: {25, 250, 2500, 25000}, 1250: {1, 12, 125, 1250}, 7: {7}} {
		if got := sizesUpTo(most); !slices.Equal(got, want) {
			t.Errorf("up to %d: got %v, want %v", most, got, want)
		}
	}
}

// TestModel: the model recovers a line, and other data misses the bar.
func TestModel(t *testing.T) {
	sizes := []int{10, 100, 1000}
	straight := fit(sizes, []float64{5 + 20, 5 + 200, 5 + 2000})
	if math.Abs(straight.base-5) > 1e-6 || math.Abs(straight.each-2) > 1e-9 {
		t.Errorf("got %+v, want 5 and 2 for each", straight)
	}
	if single := fit([]int{10}, []float64{30}); single.at(20) != 60 {
		t.Errorf("of one size: %+v", single)
	}
	square := quantity{"squares", "MB", func(r sizeResult) float64 { return float64(r.pairs * r.pairs) }}
	var results []sizeResult
	for _, size := range sizes {
		results = append(results, sizeResult{pairs: size})
	}
	if f := square.figure(results); f.Met {
		t.Errorf("the model of squares is good: %+v", f)
	}
}

// TestLongSizes: components find nothing to do among copies of a pair.
func TestLongSizes(t *testing.T) {
	s := newTestEnvironment(t)
	results, err := s.measureSizes(t.Context(), Options{Load: Load{Most: 30}}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	figures := sizeFigures(results)
	at := slices.IndexFunc(figures, func(f figure.Figure) bool { return f.Unit == figure.UnitOperations })
	if figures[at].Value != 0 {
		last := results[len(results)-1]
		t.Errorf("%v writes at start, want none; controller: %v, sidecar: %v, sidecar of another driver: %v", figures[at].Value,
			last.controller.asked.requests, last.own.asked.requests, last.other.asked.requests)
	}
	if f := figures[len(figures)-1]; !f.Met {
		t.Errorf("%s: %v", f.Name, f.Notes)
	}
}
