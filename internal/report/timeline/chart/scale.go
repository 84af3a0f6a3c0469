package chart

import (
	"math"
	"sort"
	"time"
)

// scale maps a moment to a place on the time axis, from 0 to 1. It is linear except for idle times,
// which are cut: otherwise a scenario that waits ten seconds in vain would be a blot at the left
// edge.
type scale struct {
	knots []knot // by time
	gaps  []gap  // the cut ones
}

// knot is a moment with a known place. Between two knots, places are in proportion.
type knot struct {
	at time.Duration
	x  float64
}

type gap struct {
	from, to time.Duration
	// busy means continuous activity.
	busy bool
}

func (g gap) length() time.Duration { return g.to - g.from }

const (
	// growth is the additional width of a gap that is e times as long, so that longer gaps look
	// longer.
	growth = 0.25
	// The margins keep marks off the edges, and leave room for labels.
	leftMargin, rightMargin = 0.008, 0.06
)

// newScale returns a scale with all of the gaps, which follow one another from the first moment to
// the last.
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

// at returns the place of a moment. Moments outside of the scale are at its ends.
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
