package bench

import (
	"fmt"
	"slices"
	"time"
)

// Spread sums up several measurements of one thing. Times are in milliseconds.
type Spread struct {
	Median float64 `json:"medianMs"`
	Min    float64 `json:"minMs"`
	Max    float64 `json:"maxMs"`
	Count  int     `json:"count"`
}

func spread(times []time.Duration) Spread {
	sorted := slices.Sorted(slices.Values(times))
	return Spread{
		Median: milliseconds(median(sorted)),
		Min:    milliseconds(sorted[0]),
		Max:    milliseconds(sorted[len(sorted)-1]),
		Count:  len(sorted),
	}
}

// median returns the middle of sorted numbers, or what is halfway between the
// two in the middle.
func median[N ~int | ~int64](sorted []N) N {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// String renders the spread for people; that of nothing as a dash.
func (s *Spread) String() string {
	if s == nil {
		return "-"
	}
	return fmt.Sprintf("%.1f ms (%.1f to %.1f, %d times)", s.Median, s.Min, s.Max, s.Count)
}
