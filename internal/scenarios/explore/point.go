package explore

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// Point is an operation of a run at which something can go wrong. It is named such
// that it is the same in every run, though UIDs and the order between components
// differ: by who does what to what kind of name, and how many-th it is of those.
type Point struct {
	Component string       `json:"component"`
	Seam      journal.Seam `json:"seam"`
	Operation string       `json:"operation"`
	// Subject is a pattern in which * stands for what differs from run to run.
	Subject string `json:"subject,omitempty"`
	// Nth counts the operations that are alike otherwise, from 1, from the first
	// step of the scenario.
	Nth int `json:"nth"`
}

// String renders the point for people.
func (p Point) String() string {
	text := fmt.Sprintf("%s %s %s", p.Component, p.Seam, p.Operation)
	if p.Subject != "" {
		text += " " + p.Subject
	}
	if p.Nth > 1 {
		text += fmt.Sprintf(" (no. %d)", p.Nth)
	}
	return text
}

// event reports whether the point is something that a watch tells.
func (p Point) event() bool {
	return p.Seam == journal.SeamAPI && strings.HasPrefix(p.Operation, journal.EventPrefix)
}

// readings are the beginnings of the names of operations that change nothing.
var readings = map[journal.Seam][]string{
	journal.SeamAPI:   {"get ", "list ", "watch "},
	journal.SeamRPC:   {"DriverGet"},
	journal.SeamStore: {"Get", "Head", "List", "AdminGet"},
}

// reads reports whether the operation changes nothing.
func (p Point) reads() bool {
	return slices.ContainsFunc(readings[p.Seam], func(start string) bool { return strings.HasPrefix(p.Operation, start) })
}

// match is how a fault finds the point.
func (p Point) match() fault.Match {
	return fault.Match{Seam: p.Seam, Component: p.Component, Operation: p.Operation, Subject: p.Subject, Nth: p.Nth}
}

// alike is the point without its number.
func (p Point) alike() Point {
	p.Nth = 0
	return p
}

// discovery is how the operations begin by which a component that starts asks what the
// API server has.
const discovery = "get /"

// pointOf returns the kind of point that an event of the journal is, or false if
// nothing is to go wrong there. A component whose discovery fails ends, and it is for
// whoever runs it to start it again.
func pointOf(e journal.Event, n *names) (Point, bool) {
	if strings.HasPrefix(e.Operation.Name, discovery) {
		return Point{}, false
	}
	switch e.Seam {
	case journal.SeamAPI, journal.SeamRPC, journal.SeamStore:
		return Point{
			Component: n.pattern(e.Component), Seam: e.Seam, Operation: e.Operation.Name, Subject: n.pattern(e.Operation.Subject),
		}, true
	default:
		return Point{}, false
	}
}

// pointsOf lists the points of a run in the order in which they began, but for those at
// which a fault of the scenario itself was in force: another one would take its place.
func pointsOf(events []journal.Event, n *names) []Point {
	var points []Point
	counts := map[Point]int{}
	for _, e := range inOrder(events) {
		if p, ok := pointOf(e, n); ok {
			counts[p]++
			p.Nth = counts[p]
			if e.Fault == "" || e.Fault == probe.Name {
				points = append(points, p)
			}
		}
	}
	return points
}

// inOrder sorts events by their beginning; the journal has them by their end.
func inOrder(events []journal.Event) []journal.Event {
	sorted := slices.Clone(events)
	slices.SortStableFunc(sorted, func(a, b journal.Event) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Nth, b.Nth))
	})
	return sorted
}
