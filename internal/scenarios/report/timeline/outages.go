package timeline

import (
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// outage is a time during which a component does not run.
type outage struct {
	X, Width string
	Title    string
}

// outages returns when a component was down, according to its own events.
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

func (p *plotter) outage(down journal.Event, until float64) outage {
	from := p.scale.at(p.since(down.Time))
	return outage{X: percent(from), Width: percent(max(until-from, 0)), Title: down.Component + " is down"}
}
