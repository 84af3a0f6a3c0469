package chart

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/internal/report/timeline/format"
)

const (
	// objectNameX is the left edge of an object's name, and boldWidth the factor by which its
	// letters are wider.
	objectNameX, boldWidth = 8, 1.15

	titleHeight     = 16
	conditionHeight = 13
)

// objectLane has the conditions of an object, drawn below the lanes.
type objectLane struct {
	Kind, Name, FullName string
	Y, TextY, Height     int
	Life                 []segment
	Lanes                []conditionLane
}

type conditionLane struct {
	Type     string
	Y, TextY int
	Segments []segment
}

// segment is a time without a change.
type segment struct {
	X, Width     string
	Class, Label string
	Title        string
}

// objects draws the conditions of all objects from y on, and returns their lower end.
func (p *plotter) objects(y int) int {
	for _, h := range histories(p.s.Events) {
		drawn := objectLane{
			Kind: h.Kind, Name: ShortName(h.Name, p.s.Namespace), FullName: h.Name,
			Y: y, TextY: y + titleHeight - 4,
		}
		drawn.Life = p.life(h, objectNameX+textWidth(drawn.Name)*boldWidth)
		y += titleHeight
		for _, c := range h.Conditions {
			drawn.Lanes = append(drawn.Lanes, conditionLane{Type: c.Type, Y: y, TextY: y + conditionHeight - 3, Segments: p.segments(h, c)})
			y += conditionHeight
		}
		y += lanePadding
		drawn.Height = y - drawn.Y
		p.chart.Objects = append(p.chart.Objects, drawn)
	}
	return y
}

// ShortName removes the part that all objects of a scenario have in their names.
func ShortName(name, namespace string) string {
	return strings.TrimPrefix(name, namespace+"/")
}

// life draws the times from which an object was known, and was being deleted. Its name ends at the
// pixel nameEnd.
func (p *plotter) life(h *history, nameEnd float64) []segment {
	until := p.endOf(h)
	deleting := until
	if !h.Deleting.IsZero() {
		deleting = p.scale.at(p.since(h.Deleting))
	}
	life := []segment{p.segment(p.scale.at(p.since(h.Seen)), deleting, "alive", "", "seen first at "+format.Offset(p.since(h.Seen))+" s")}
	if !h.Deleting.IsZero() {
		label := "deleting"
		if deleting*nominalWidth < nameEnd {
			label = ""
		}
		life = append(life, p.segment(deleting, until, "deleting", label, "being deleted"))
	}
	return life
}

func (p *plotter) endOf(h *history) float64 {
	if h.Gone.IsZero() {
		return 1
	}
	return p.scale.at(p.since(h.Gone))
}

func (p *plotter) segments(h *history, c changes) []segment {
	drawn := make([]segment, 0, len(c.States))
	for i, s := range c.States {
		until := p.endOf(h)
		if i+1 < len(c.States) {
			until = p.scale.at(p.since(c.States[i+1].From))
		}
		title := fmt.Sprintf("%s s, %s=%s %s: %s", format.Offset(p.since(s.From)), s.Type, s.Status, s.Reason, s.Message)
		drawn = append(drawn, p.segment(p.scale.at(p.since(s.From)), until, stateClass(s), s.Reason, title))
	}
	return drawn
}

func (p *plotter) segment(from, until float64, class, label, title string) segment {
	width := max(until-from, 0)
	if textWidth(label)+2*labelGap > width*nominalWidth {
		label = ""
	}
	return segment{X: format.Percent(from), Width: format.Percent(width), Class: class, Label: label, Title: title}
}

// stateClass returns the look of a condition's state. If the type names a problem, False is good.
func stateClass(s state) string {
	bad := strings.Contains(s.Type, "Fail")
	switch {
	case s.Status != "True" && s.Status != "False":
		return "unknown"
	case (s.Status == "True") != bad:
		return "good"
	case bad:
		return "awful"
	default:
		return "poor"
	}
}

// ConditionClass returns the look of a condition: good, poor, awful or unknown.
func ConditionClass(conditionType, status string) string {
	s := state{}
	s.Type, s.Status = conditionType, metav1.ConditionStatus(status)
	return stateClass(s)
}
