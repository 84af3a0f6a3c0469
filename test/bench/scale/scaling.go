package scale

import (
	"fmt"
	"math"
	"strings"

	"github.com/cosi-emu/cosi-emu/test/bench/figure"
)

// barExponent is how the time may grow with the number of accesses: 1 is linear,
// 2 is quadratic.
const barExponent = 1.2

func (o oneClaim) figures() []figure.Figure {
	most := o[len(o)-1].size
	return []figure.Figure{
		o.figure(fmt.Sprintf("growth of the time to create %d accesses of one claim", most),
			func(c *sizeCost) []figure.Cost { return c.created }, o.requests()),
		o.figure(fmt.Sprintf("growth of the time to delete %d accesses of one claim", most),
			func(c *sizeCost) []figure.Cost { return c.deleted }),
	}
}

// figure takes the worse of two growths: of the time by the clock, against the same number of bare
// writes, and of the processor time in this process. It uses the fastest rounds: other work of the
// machine makes a round slower and never faster, and a slow round of one size would pass for growth.
func (o oneClaim) figure(what string, part func(*sizeCost) []figure.Cost, notes ...string) figure.Figure {
	var sizes []int
	var clock, bare, busy []float64
	var times, used []string
	for i, c := range o {
		sizes = append(sizes, c.size)
		clock = append(clock, figure.Times(figure.AllElapsed(part(c))).Min)
		bare = append(bare, figure.Times(figure.AllElapsed(c.bare)).Min/float64(c.size))
		busy = append(busy, figure.Times(figure.AllCPU(part(c))).Min)
		times = append(times, fmt.Sprintf("%d in %.0f ms", c.size, clock[i]))
		used = append(used, fmt.Sprintf("%.2f ms", busy[i]/float64(c.size)))
	}
	byClock, byProcessor := exponent(sizes, clock), exponent(sizes, busy)
	drift := exponent(sizes, bare)
	return figure.New(what, max(byClock-drift, byProcessor), figure.UnitExponent, barExponent, append([]string{
		fmt.Sprintf("by the clock, exponent %s: %s, in the fastest of %d rounds",
			figure.Number(byClock), strings.Join(times, ", "), len(part(o[0]))),
		fmt.Sprintf("against the same number of bare writes, exponent %s", figure.Number(byClock-drift)),
		fmt.Sprintf("by the processors of this process, exponent %s: %s for an access", figure.Number(byProcessor), strings.Join(used, ", ")),
	}, notes...)...)
}

// requests describes the requests for an access in its life.
func (o oneClaim) requests() string {
	parts := make([]string, len(o))
	for i, c := range o {
		accesses := c.size * len(c.created)
		each := func(count int) string { return figure.Number(per(count, accesses)) }
		parts[i] = fmt.Sprintf("of %d, %s writes, %s reads, %s conflicts, %s calls", c.size, each(total(c.asked.writes())),
			each(total(c.asked.reads())), each(c.asked.conflicts), each(total(c.asked.calls)))
	}
	return "asked for an access, from its creation to its end: " + strings.Join(parts, "; ")
}

// exponent is that by which values grow with sizes: the slope of the line that
// fits them best when both are taken as logarithms. A single size has none, and
// gives 0.
func exponent(sizes []int, values []float64) float64 {
	n := float64(len(sizes))
	var sumX, sumY, sumXX, sumXY float64
	for i, size := range sizes {
		x, y := math.Log(float64(size)), math.Log(values[i])
		sumX, sumY, sumXX, sumXY = sumX+x, sumY+y, sumXX+x*x, sumXY+x*y
	}
	if divisor := n*sumXX - sumX*sumX; divisor > 0 {
		return (n*sumXY - sumX*sumY) / divisor
	}
	return 0
}
