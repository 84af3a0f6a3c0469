package timeline

import (
	"math"
	"sort"
	"time"
)

// scale says where on the time axis a moment is, from 0 to 1. It is linear but for
// idle times, which are cut short: a scenario that waits ten seconds for something
// that does not come would otherwise be a blot at the left edge.
type scale struct {
	knots []knot // by time
	gaps  []gap  // those that are cut short
}

// knot is a moment of which the place is known; between two it is in proportion.
type knot struct {
	at time.Duration
	x  float64
}

// gap is a time between two moments.
type gap struct {
	from, to time.Duration
	// busy says that something was going on all the time.
	busy bool
}

func (g gap) length() time.Duration { return g.to - g.from }

const (
	// growth is how much wider a gap is drawn that is e times as long, so that a
	// long one can still be told from a longer one.
	growth = 0.25
	// The margins keep things off the edges, and leave room for labels.
	leftMargin, rightMargin = 0.008, 0.06
)

// newScale returns a scale on which all of the gaps are, which follow one another
// from the first moment to the last.
func newScale(all []gap) scale {
	if len(all) == 0 {
		all = []gap{{0, time.Millisecond, true}}
	}
	s, limit, total := scale{knots: []knot{{all[0].from, 0}}}, idleLimit(all), 0.0
	for _, g := range all {
		width, longest := float64(g.length()), limit
		if g.busy {
			longest *= patience
		}
		if width > longest {
			width = longest * (1 + growth*math.Log(width/longest))
			s.gaps = append(s.gaps, g)
		}
		total += width
		s.knots = append(s.knots, knot{g.to, total})
	}
	for i := range s.knots {
		s.knots[i].x = leftMargin + s.knots[i].x/total*(1-leftMargin-rightMargin)
	}
	return s
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
