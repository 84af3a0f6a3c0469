package chart

import (
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/report/timeline/format"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// link joins two lanes at the moment at which one calls the other.
type link struct {
	X      string
	Y1, Y2 int
	Class  string
}

// links joins callers and callees.
func (p *plotter) links() {
	middle := map[string]int{}
	for _, l := range p.chart.Lanes {
		middle[l.Name] = l.Y + lanePadding + rowHeight/2
	}
	for _, e := range p.s.Events {
		caller := p.caller(e)
		from, known := middle[caller]
		to, drawn := p.tops[EventID(p.id, e)]
		if !known || !drawn {
			continue
		}
		p.chart.Links = append(p.chart.Links, link{
			X: format.Percent(p.scale.at(p.since(e.Time))), Y1: from, Y2: to + rowHeight/2, Class: string(CategoryOf(e)),
		})
	}
}

// caller returns the lane that caused an event, if known: a call that a driver handles comes from
// its sidecar, an administrative call in the store from the driver, and an S3 request from the
// user.
func (p *plotter) caller(e journal.Event) string {
	switch {
	case e.Seam == journal.SeamRPC && role(e.Component) == vocabulary.Driver:
		return vocabulary.Sidecar + suffix(e.Component)
	case e.Seam == journal.SeamStore && e.Component != vocabulary.Store:
		return e.Component
	case e.Seam == journal.SeamStore && p.usesS3(e.Time):
		return LaneUser
	default:
		return ""
	}
}

func (p *plotter) usesS3(at time.Time) bool {
	for _, step := range p.s.Steps {
		if strings.HasPrefix(step.Verb, "s3") && !at.Before(step.Started) && at.Before(step.Started.Add(step.Duration)) {
			return true
		}
	}
	return false
}
