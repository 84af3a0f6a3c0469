package run

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// Namespace is the namespace of all runs. Only an interference deletes it, because
// deleting a namespace takes longer than a run. The next run gets a new one of the same name.
const Namespace = "explore"

// Bystander is the name of the bystander's objects and namespace.
const Bystander = "bystander"

// Point is an operation of a run at which a fault can be injected. Its name is the same in
// every run, although UIDs and the order between components differ.
type Point struct {
	Component string       `json:"component"`
	Seam      journal.Seam `json:"seam"`
	Operation string       `json:"operation"`
	// Subject is a pattern in which * matches the parts that differ between runs.
	Subject string `json:"subject,omitempty"`
	// Nth is the number of the operation among equal ones since the first step, from 1.
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

// Event reports whether the point is a watch event.
func (p Point) Event() bool {
	return p.Seam == journal.SeamAPI && strings.HasPrefix(p.Operation, journal.EventPrefix)
}

var readings = map[journal.Seam][]string{
	journal.SeamAPI:   {"get ", "list ", "watch "},
	journal.SeamRPC:   {"DriverGet"},
	journal.SeamStore: {"Get", "Head", "List", "AdminGet"},
}

// Reads reports whether the operation changes nothing.
func (p Point) Reads() bool {
	return slices.ContainsFunc(readings[p.Seam], func(start string) bool { return strings.HasPrefix(p.Operation, start) })
}

// Match returns the operations that a fault at the point concerns.
func (p Point) Match() fault.Match {
	return fault.Match{Seam: p.Seam, Component: p.Component, Operation: p.Operation, Subject: p.Subject, Nth: p.Nth}
}

// Alike returns the point without its number. It is the same for equal operations.
func (p Point) Alike() Point {
	p.Nth = 0
	return p
}

// discovery is the prefix of discovery requests, which a starting component sends to the
// API server.
const discovery = "get /"

// leases ends the operations with Leases, which a component renews by the clock.
const leases = " leases"

// PointOf returns the point of a journal event, without its number, or false if exploration
// injects no fault there. A component whose discovery fails exits and is restarted.
func PointOf(e journal.Event, n *Names) (Point, bool) {
	if strings.HasPrefix(e.Operation.Name, discovery) || strings.HasSuffix(e.Operation.Name, leases) ||
		e.Component == vocabulary.Administrator || concernsBystander(e.Operation.Subject) {
		return Point{}, false
	}
	switch e.Seam {
	case journal.SeamAPI, journal.SeamRPC, journal.SeamStore:
		return Point{
			Component: n.Pattern(e.Component), Seam: e.Seam, Operation: e.Operation.Name, Subject: n.Pattern(e.Operation.Subject),
		}, true
	default:
		return Point{}, false
	}
}

// PointsOf lists the points of a run in the order of their start. It skips points at which
// a fault of the scenario itself is active, because that fault takes precedence.
func PointsOf(events []journal.Event, n *Names) []Point {
	var points []Point
	for e, p := range Numbered(InOrder(events), n) {
		if !HasFault(e) {
			points = append(points, p)
		}
	}
	return points
}

// Numbered yields the events that have a point, with their points, in their order.
func Numbered(events []journal.Event, n *Names) iter.Seq2[journal.Event, Point] {
	return func(yield func(journal.Event, Point) bool) {
		counts := map[Point]int{}
		for _, e := range events {
			p, ok := PointOf(e, n)
			if !ok {
				continue
			}
			counts[p]++
			p.Nth = counts[p]
			if !yield(e, p) {
				return
			}
		}
	}
}

// HasFault reports whether a fault was applied to an event, other than the probe, which changes nothing.
func HasFault(e journal.Event) bool { return e.Fault != "" && e.Fault != Probe.Name }

func concernsBystander(subject string) bool {
	return subject == Bystander || strings.HasPrefix(subject, Bystander+"/")
}
