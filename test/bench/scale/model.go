package scale

import (
	"fmt"
	"math"
	"strings"

	"github.com/cosi-emu/cosi-emu/test/bench/figure"
)

const (
	// million is the number of pairs that the model is for.
	million = 1_000_000
	// barModel is how far the model of the smaller sizes may be from the largest, as a share.
	barModel = 0.25
	// barStartWrites is how many writes there may be when nothing has changed.
	barStartWrites = 0

	milliseconds = 1e3
	megabytes    = 1e6
)

// line is a linear model: what there is without pairs, and what each adds.
type line struct{ base, each float64 }

func (l line) at(pairs int) float64 { return l.base + l.each*float64(pairs) }

// fit returns the line through values at some sizes with the least squares of errors, each
// relative to its size: otherwise only the largest would count.
func fit(sizes []int, values []float64) line {
	var weight, x, y, xx, xy float64
	for i, size := range sizes {
		n := float64(size)
		w := 1 / (n * n)
		weight, x, y, xx, xy = weight+w, x+w*n, y+w*values[i], xx+w*n*n, xy+w*n*values[i]
	}
	divisor := weight*xx - x*x
	if len(sizes) < 2 || divisor == 0 {
		return line{each: values[0] / float64(sizes[0])}
	}
	each := (weight*xy - x*y) / divisor
	return line{base: (y - each*x) / weight, each: each}
}

// quantity is something that was measured at each size.
type quantity struct {
	name, unit string
	of         func(sizeResult) float64
}

var quantities = []quantity{
	{"memory of the API server", "MB", func(r sizeResult) float64 { return r.server / megabytes }},
	{"memory of the controller", "MB", func(r sizeResult) float64 { return r.controller.memory / megabytes }},
	{"memory of a sidecar, all of its driver", "MB", func(r sizeResult) float64 { return r.own.memory / megabytes }},
	{"memory of a sidecar, all of another driver", "MB", func(r sizeResult) float64 { return r.other.memory / megabytes }},
	{"time of the controller's lists at start", "ms", func(r sizeResult) float64 { return busy(r.controller.list) }},
	{"time of a sidecar's lists at start", "ms", func(r sizeResult) float64 { return busy(r.own.list) }},
	{"time of the controller's first look at everything", "ms", func(r sizeResult) float64 { return busy(r.controller.first) }},
	{"time of a sidecar's first look, all of its driver", "ms", func(r sizeResult) float64 { return busy(r.own.first) }},
	{"time of a sidecar's first look, all of another driver", "ms", func(r sizeResult) float64 { return busy(r.other.first) }},
}

// busy is the processor time, which other programs do not disturb.
func busy(c figure.Cost) float64 { return c.CPU.Seconds() * milliseconds }

// sizeFigures returns the error of the model of each quantity, and what stays the same.
func sizeFigures(results []sizeResult) []figure.Figure {
	if len(results) == 0 {
		return nil
	}
	var figures []figure.Figure
	for _, q := range quantities {
		if last := q.of(results[len(results)-1]); last != 0 {
			figures = append(figures, q.figure(results))
		}
	}
	return append(figures, startWrites(results), furtherPairs(results))
}

// figure compares the model of the smaller sizes with the largest one. The model of all has the
// figures for a million.
func (q quantity) figure(results []sizeResult) figure.Figure {
	var sizes []int
	var values []float64
	var measured []string
	for _, r := range results {
		sizes, values = append(sizes, r.pairs), append(values, q.of(r))
		measured = append(measured, fmt.Sprintf("%s %s with %d", figure.Number(q.of(r)), q.unit, r.pairs))
	}
	last := len(sizes) - 1
	smaller, all := fit(sizes[:max(1, last)], values[:max(1, last)]), fit(sizes, values)
	return figure.New("error of the model: "+q.name, math.Abs(smaller.at(sizes[last])/values[last]-1), figure.UnitTimes, barModel,
		"measured: "+strings.Join(measured, ", "),
		fmt.Sprintf("the model of the smaller sizes has %s %s with %d", figure.Number(smaller.at(sizes[last])), q.unit, sizes[last]),
		fmt.Sprintf("the model of all: %s %s, and %s %s for each thousand; %s %s for a million",
			figure.Number(all.base), q.unit, figure.Number(1e3*all.each), q.unit, figure.Number(all.at(million)), q.unit))
}

// startWrites counts the writes of components that start when nothing has changed.
func startWrites(results []sizeResult) figure.Figure {
	writes := 0
	var notes []string
	for _, r := range results {
		for _, start := range []struct {
			who    string
			result startResult
		}{{"the controller", r.controller}, {"a sidecar", r.own}, {"a sidecar of another driver", r.other}} {
			made := start.result.asked
			writes += total(made.writes()) + total(made.events())
			notes = append(notes, fmt.Sprintf("with %d, %s is ready after %d ms and done after %d ms more; reads: %s", r.pairs, start.who,
				start.result.list.Elapsed.Milliseconds(), start.result.first.Elapsed.Milliseconds(), each(made.reads(), 1)))
		}
	}
	return figure.New("writes of components that start among pairs that are ready", float64(writes), figure.UnitOperations,
		barStartWrites, notes...)
}

// furtherPairs compares the cost of a further pair among the most pairs with its cost among the
// fewest.
func furtherPairs(results []sizeResult) figure.Figure {
	var notes []string
	for _, r := range results {
		notes = append(notes, fmt.Sprintf("among %d: %s writes, %s Events, %s reads, %.2f ms of processor time in this process", r.pairs,
			figure.Number(per(total(r.asked.writes()), further)), figure.Number(per(total(r.asked.events()), further)),
			figure.Number(per(total(r.asked.reads()), further)), busy(r.cost)/further))
	}
	first, last := results[0], results[len(results)-1]
	return figure.New(fmt.Sprintf("writes of a pair among %d, against among %d", last.pairs, first.pairs),
		per(total(last.asked.writes()), total(first.asked.writes())), figure.UnitTimes, barGrowth, notes...)
}
