package chart

import (
	"cmp"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/report"
)

const (
	minIdle = float64(8 * time.Millisecond)
	// maxShare is the maximum part of the axis for an idle time, and maxCut for all cut ones
	// together.
	maxShare = 0.06
	maxCut   = 0.5
	// patience is the factor by which an activity may be longer before it is cut.
	patience = 6
)

// edge is a moment at which the number of activities changes.
type edge struct {
	at    time.Duration
	going int
}

// gaps returns the times between any two moments at which something begins or ends. Steps do not
// make a time busy: most of them wait.
func gaps(s report.Scenario) []gap {
	moments := []edge{{0, 0}, {lasting(s.Duration), 0}}
	add := func(at time.Time, lasted time.Duration, going int) {
		begin := Since(s, at)
		moments = append(moments, edge{begin, going}, edge{begin + lasting(lasted), -going})
	}
	for _, e := range s.Events {
		if CategoryOf(e) == kindWatch { // it lasts as long as it is open
			e.Duration = 0
		}
		add(e.Time, e.Duration, 1)
	}
	for _, step := range s.Steps {
		add(step.Started, step.Duration, 0)
	}
	slices.SortStableFunc(moments, func(a, b edge) int { return cmp.Compare(a.at, b.at) })
	var found []gap
	going := moments[0].going
	for i, m := range moments[1:] {
		if m.at > moments[i].at {
			found = append(found, gap{moments[i].at, m.at, going > 0})
		}
		going += m.going
	}
	return found
}

// idleLimit returns the length from which on an idle time is cut. It cuts as few as possible, so
// that none takes more than its share.
func idleLimit(all []gap) float64 {
	lengths, rest := make([]float64, 0, len(all)), 0.0
	for _, g := range all {
		lengths = append(lengths, float64(g.length()))
		rest += float64(g.length())
	}
	slices.Sort(lengths)
	for n, longest := range slices.Backward(lengths) {
		cut := float64(len(lengths) - 1 - n) // number of longer ones
		limit := rest * maxShare / max(1-cut*maxShare, 1-maxCut)
		if cut > 0 {
			limit = min(limit, rest*maxCut/(1-maxCut)/cut)
		}
		if limit = max(limit, minIdle); longest <= limit {
			return limit
		}
		rest -= longest
	}
	return minIdle
}
