package figure

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

// Times sums up times, of which there must be one at least.
func Times(times []time.Duration) Spread {
	sorted := slices.Sorted(slices.Values(times))
	return Spread{
		Median: Milliseconds(Median(sorted)),
		Min:    Milliseconds(sorted[0]),
		Max:    Milliseconds(sorted[len(sorted)-1]),
		Count:  len(sorted),
	}
}

// Median returns the middle of sorted numbers, or the mean of the two in the middle.
func Median[N ~int | ~int64](sorted []N) N {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Milliseconds is how times are told.
func Milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// String renders the spread for people, and an empty spread as a dash.
func (s *Spread) String() string {
	if s == nil {
		return "-"
	}
	return fmt.Sprintf("%.1f ms (%.1f to %.1f, %d times)", s.Median, s.Min, s.Max, s.Count)
}
