package spec

import (
	"math"
	"strconv"
)

// limits checks the number of steps, as far as it is known before a run.
func (v *validation) limits(all []Step) {
	most, before := int(v.setup.Limits.OrDefault().Steps), 0
	for i := range all {
		if before = sum(before, runsOf(&all[i])); before <= most {
			continue
		}
		count := strconv.Itoa(before) + " steps"
		if before == math.MaxInt {
			count = "more steps than can be counted"
		}
		v.decoder.fail(all[i].Position,
			"with this step the scenario runs %s, and may run %d: repeat less, or raise setup.limits.steps", count, most)
		return
	}
}

// runsOf returns the number of steps that run with a step, including itself, and including steps
// that `when` may skip.
func runsOf(s *Step) int {
	within := 0
	for _, nested := range s.Within() {
		for i := range nested {
			within = sum(within, runsOf(&nested[i]))
		}
	}
	times := 1
	switch {
	case s.Repeat != nil:
		times = max(s.Repeat.Times, 0)
	case s.ForEach != nil:
		times = len(s.ForEach.In)
	}
	if times > 0 && within > math.MaxInt/times {
		return math.MaxInt
	}
	return sum(1, times*within)
}

// sum adds nonnegative numbers, and stays at the maximum.
func sum(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

func (v *validation) putSize(s *Step, size Bytes) {
	if most := v.setup.Limits.OrDefault().PutBytes; size > most {
		v.decoder.fail(s.Position, "the object has %d bytes, at most %d are allowed: put less, or raise setup.limits.putBytes", size, most)
	}
}
