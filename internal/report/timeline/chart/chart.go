package chart

import (
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/report"
	"github.com/cosi-emu/cosi-emu/internal/report/timeline/format"
)

// Heights in pixels.
const (
	axisHeight  = 30
	rowHeight   = 17
	markHeight  = 14
	symbolWidth = 14
	minorHeight = 9
	lanePadding = 4
	maxRows     = 7
	maxLaneName = 16 // in letters
)

// Chart is the picture of a scenario, as templates draw it.
type Chart struct {
	Height, Lower int // Lower is the lower end of the objects
	Ticks         []tick
	Cuts          []cut
	Steps         []string // beginnings of steps
	Lanes         []lane
	Links         []link
	Objects       []objectLane
	Failed        []line
}

// lane has the operations of one participant.
type lane struct {
	Name, Hue string
	// Short is the name, shortened to the available room.
	Short      string
	Y, Height  int
	TextY      int
	Marks      []mark
	Down       []outage
	Incarnated bool
}

type line struct{ X, Title string }

type plotter struct {
	id    string
	s     report.Scenario
	scale scale
	chart Chart
	tops  map[string]int // positions of events, by their targets
}

func (p *plotter) since(at time.Time) time.Duration { return Since(p.s, at) }

func (p *plotter) pixels(at time.Duration) float64 { return p.scale.at(at) * nominalWidth }

// New draws a scenario. The components in also have a lane even if they have done nothing.
func New(id string, s report.Scenario, also ...string) Chart {
	p := &plotter{id: id, s: s, scale: newScale(gaps(s)), tops: map[string]int{}}
	p.chart.Ticks, p.chart.Cuts = p.scale.ticks(), p.scale.cuts()
	y := axisHeight
	for _, name := range laneNames(s, also) {
		drawn := p.lane(name, y)
		p.chart.Lanes = append(p.chart.Lanes, drawn)
		y += drawn.Height
	}
	p.chart.Lower = y
	p.steps()
	p.links()
	p.chart.Height = p.objects(y)
	return p.chart
}

func (p *plotter) lane(name string, y int) lane {
	drawn := lane{Name: name, Short: format.Cut(name, maxLaneName), Hue: Hue(name), Y: y}
	if name == LaneUser {
		rows := p.userMarks(&drawn, y+lanePadding)
		drawn.Height = rows*rowHeight + 2*lanePadding
	} else {
		events := p.eventsOf(name)
		rows := p.eventMarks(&drawn, events, y+lanePadding)
		drawn.Height = rows*rowHeight + minorHeight + 2*lanePadding
		drawn.Down = p.outages(events)
		if name == laneAPIServer {
			drawn.Down = append(drawn.Down, p.rejections()...)
		}
	}
	drawn.TextY = y + lanePadding + rowHeight - 5
	return drawn
}

func (p *plotter) eventsOf(lane string) []journal.Event {
	var found []journal.Event
	for _, e := range p.s.Events {
		if laneOf(e) == lane {
			found = append(found, e)
		}
	}
	return found
}

// steps marks the beginnings of the outer steps, and the failed one.
func (p *plotter) steps() {
	for _, step := range p.s.Steps {
		if step.Depth == 0 {
			p.chart.Steps = append(p.chart.Steps, format.Percent(p.scale.at(p.since(step.Started))))
		}
	}
	for _, f := range p.s.Failures {
		if f.Step == nil || *f.Step < 0 || *f.Step >= len(p.s.Steps) {
			continue
		}
		step := p.s.Steps[*f.Step]
		x := format.Percent(p.scale.at(p.since(step.Started.Add(step.Duration))))
		p.chart.Failed = append(p.chart.Failed, line{x, f.Message})
	}
}

// NameUser names the lane of the scenario itself.
func (c *Chart) NameUser(name string) {
	for i := range c.Lanes {
		if c.Lanes[i].Name == LaneUser {
			c.Lanes[i].Name, c.Lanes[i].Short = name, format.Cut(name, maxLaneName)
		}
	}
}
