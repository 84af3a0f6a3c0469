package chart

import (
	"fmt"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/counted"
	"github.com/cosi-emu/cosi-emu/internal/report/timeline/format"
)

// outage is a time during which a component does not run.
type outage struct {
	X, Width string
	Title    string
}

// outages returns the times when a component was down, according to its own events.
func (p *plotter) outages(events []journal.Event) []outage {
	var (
		found []outage
		down  *journal.Event
	)
	for i, e := range events {
		if e.Seam != journal.SeamProcess {
			continue
		}
		switch e.Operation.Name {
		case "stop", "crash", "fail":
			down = &events[i]
		case "ready":
			if down != nil {
				found = append(found, p.outage(*down, p.scale.at(p.since(e.Time))))
			}
			down = nil
		}
	}
	if down != nil {
		found = append(found, p.outage(*down, 1))
	}
	return found
}

// rejections returns, for each fault, the time from the first to the last request to the API server
// that failed by it.
func (p *plotter) rejections() []outage {
	type hits struct {
		first, last time.Time
		count       int
	}
	byFault, order := map[string]*hits{}, []string{}
	for _, e := range p.s.Events {
		if e.Seam != journal.SeamAPI || e.Fault == "" || !e.Failed() {
			continue
		}
		known := byFault[e.Fault]
		if known == nil {
			known = &hits{first: e.Time}
			byFault[e.Fault], order = known, append(order, e.Fault)
		}
		known.last = ended(e)
		known.count++
	}
	found := make([]outage, 0, len(order))
	for _, name := range order {
		known := byFault[name]
		from, to := p.scale.at(p.since(known.first)), p.scale.at(p.since(known.last))
		found = append(found, outage{
			X: format.Percent(from), Width: format.Percent(max(to-from, float64(minMark)/nominalWidth)),
			Title: fmt.Sprintf("fault %s: %s to the API server failed", name, counted.Of(known.count, "request")),
		})
	}
	return found
}

func (p *plotter) outage(down journal.Event, until float64) outage {
	from := p.scale.at(p.since(down.Time))
	return outage{X: format.Percent(from), Width: format.Percent(max(until-from, 0)), Title: down.Component + " is down"}
}
