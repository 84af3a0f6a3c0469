package timeline

import (
	"math"
	"slices"
	"sort"
	"time"
)

// scale says where on the time axis a moment is, from 0 to 1. It is linear but for
// idle times, which are cut short: a scenario that waits ten seconds for something
// that does not come would otherwise be a blot at the left edge.
type scale struct {
	knots []knot // by time
	gaps  []gap
}

// knot is a moment of which the place is known; between two it is in proportion.
type knot struct {
	at time.Duration
	x  float64
}

// gap is an idle time that is cut short.
type gap struct {
	from, to time.Duration
}

// growth is how much wider a gap is drawn that is e times as long, so that a long
// one can still be told from a longer one.
const growth = 0.25

const (
	// minIdle is the least that is cut short.
	minIdle = 2 * time.Millisecond
	// farMore and smallPart are what idleLimit goes by.
	farMore   = 4
	smallPart = 8
)

// newScale returns a scale on which all the moments are. They are the beginnings and
// the ends of what happens.
func newScale(moments []time.Duration) scale {
	all := slices.Compact(slices.Sorted(slices.Values(moments)))
	if len(all) < 2 {
		all = append(all, 0, time.Millisecond)
		slices.Sort(all)
		all = slices.Compact(all)
	}
	s, limit, total := scale{knots: []knot{{all[0], 0}}}, idleLimit(all), 0.0
	for i, at := range all[1:] {
		idle := at - all[i]
		width := float64(idle)
		if idle > limit {
			width = float64(limit) * (1 + growth*math.Log(float64(idle)/float64(limit)))
			s.gaps = append(s.gaps, gap{all[i], at})
		}
		total += width
		s.knots = append(s.knots, knot{at, total})
	}
	const margin = 0.01 // so that nothing sticks to the edges
	for i := range s.knots {
		s.knots[i].x = margin + s.knots[i].x/total*(1-2*margin)
	}
	return s
}

// idleLimit finds the length from which on an idle time is cut short. Idle times are
// cut if all that are as long or longer take up far more than all that are shorter;
// those cut then take up a small part.
func idleLimit(all []time.Duration) time.Duration {
	steps := make([]time.Duration, 0, len(all)-1)
	for i, at := range all[1:] {
		steps = append(steps, at-all[i])
	}
	slices.Sort(steps)
	shorter := time.Duration(0)
	for i, step := range steps {
		longer := time.Duration(len(steps) - i)
		if i >= len(steps)/3 && step > minIdle && longer*step > farMore*shorter {
			return max(minIdle, shorter/(smallPart*longer))
		}
		shorter += step
	}
	return steps[len(steps)-1]
}

// at returns the place of a moment. Those outside of the scale are at its ends.
func (s scale) at(moment time.Duration) float64 {
	i := sort.Search(len(s.knots), func(i int) bool { return s.knots[i].at >= moment })
	switch {
	case i == 0:
		return s.knots[0].x
	case i == len(s.knots):
		return s.knots[i-1].x
	}
	before, after := s.knots[i-1], s.knots[i]
	share := float64(moment-before.at) / float64(after.at-before.at)
	return before.x + share*(after.x-before.x)
}

// cut returns the gap that a moment is in, if it is in one.
func (s scale) cut(moment time.Duration) (gap, bool) {
	for _, g := range s.gaps {
		if moment > g.from && moment < g.to {
			return g, true
		}
	}
	return gap{}, false
}
