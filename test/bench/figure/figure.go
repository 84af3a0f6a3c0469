package figure

import (
	"fmt"
	"strings"
)

// Figure is a result and the bar for it.
type Figure struct {
	// Name is the name of the measurement.
	Name string `json:"name"`
	// Value is the result in units of Unit: a ratio, a number or an amount.
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	// Bar is the highest value that is good, or the lowest with AtLeast. Met reports whether this
	// value is good.
	Bar     float64 `json:"bar"`
	AtLeast bool    `json:"atLeast,omitempty"`
	Met     bool    `json:"met"`
	// Measured and Baseline are the two parts of a ratio, if those are times.
	Measured *Spread `json:"measured,omitempty"`
	Baseline *Spread `json:"baseline,omitempty"`
	// Notes are further observations.
	Notes []string `json:"notes,omitempty"`
}

// Units of figures.
const (
	UnitTimes      = "x"
	UnitOperations = "writes and calls"
	UnitMegabytes  = "MB"
	UnitKilobytes  = "kB"
	UnitConflicts  = "conflicts"
	// UnitMilliseconds is of times that have a bar of their own.
	UnitMilliseconds = "ms"
	// UnitBytes is of memory for a byte that is stored.
	UnitBytes = "bytes"
	// UnitExponent is of the growth of a time with a size: 1 is linear, 2 is
	// quadratic.
	UnitExponent = "exponent"
)

// New returns a figure of its own unit.
func New(name string, value float64, unit string, bar float64, notes ...string) Figure {
	return Figure{Name: name, Value: value, Unit: unit, Bar: bar, Met: value <= bar, Notes: notes}
}

// AtLeast returns a figure whose bar is the lowest value that is good.
func AtLeast(name string, value float64, unit string, bar float64, notes ...string) Figure {
	return Figure{Name: name, Value: value, Unit: unit, Bar: bar, AtLeast: true, Met: value >= bar, Notes: notes}
}

// Ratio returns a figure that compares the median of the measurement with its baseline's median.
func Ratio(name string, bar float64, measured, baseline Spread, notes ...string) Figure {
	f := New(name, measured.Median/baseline.Median, UnitTimes, bar, notes...)
	f.Measured, f.Baseline = &measured, &baseline
	return f
}

// Number renders a number with two digits after the point, if it needs any.
func Number(value float64) string {
	return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.2f", value), "0"), ".")
}
