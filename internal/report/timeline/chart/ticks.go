package chart

import (
	"time"

	"github.com/cosi-emu/cosi-emu/internal/report/timeline/format"
)

type tick struct {
	X    string
	Text string
}

// cut is the place of omitted idle time.
type cut struct {
	X, Width, Middle string
	Text             string // empty if it does not fit
	Title            string
}

// minTick is the minimum distance of marks on the axis, as a share of its length.
const minTick = 0.075

// ticks returns the marks of an axis, at round times since the beginning. Every stretch between two
// cuts has its own step.
func (s scale) ticks() []tick {
	var found []tick
	last := -minTick
	for _, stretch := range s.stretches() {
		step := roundStep(stretch, s.at(stretch.to)-s.at(stretch.from))
		for at := stretch.from.Truncate(step); at <= stretch.to; at += step {
			if x := s.at(at); at >= stretch.from && x-last >= minTick {
				found = append(found, tick{format.Percent(x), format.Span(at)})
				last = x
			}
		}
	}
	return found
}

// cuts returns the omitted idle times that are wide enough for a name.
func (s scale) cuts() []cut {
	cuts := make([]cut, 0, len(s.gaps))
	for _, g := range s.gaps {
		from, width := s.at(g.from), s.at(g.to)-s.at(g.from)
		c := cut{
			X: format.Percent(from), Width: format.Percent(width), Middle: format.Percent(from + width/2),
			Title: "nothing happens for " + format.Span(g.length()),
		}
		if width*nominalWidth > textWidth(format.Span(g.length())) {
			c.Text = format.Span(g.length())
		}
		cuts = append(cuts, c)
	}
	return cuts
}

// stretches are the times between the gaps.
func (s scale) stretches() []gap {
	var found []gap
	from := s.knots[0].at
	for _, g := range s.gaps {
		if g.from > from {
			found = append(found, gap{from: from, to: g.from})
		}
		from = g.to
	}
	if end := s.knots[len(s.knots)-1].at; end > from {
		found = append(found, gap{from: from, to: end})
	}
	return found
}

// roundStep returns 1, 2 or 5 times a power of ten, so that marks are not too close.
func roundStep(stretch gap, width float64) time.Duration {
	least := time.Duration(float64(stretch.length()) * minTick / max(width, minTick))
	for step := 10 * time.Microsecond; ; step *= 10 {
		for _, times := range []int{1, 2, 5} {
			if round := time.Duration(times) * step; round >= least {
				return round
			}
		}
	}
}
