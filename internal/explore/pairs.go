package explore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// rememberStates marks the prune keys of the run as tried, with all kinds.
func (e *explorer) rememberStates(o *runResult) {
	for _, s := range pruneKeys(o, PruneState) {
		for _, t := range e.trialsAt(s.point) {
			e.seen[s.state+string(t.Kind)] = true
		}
	}
}

// pair adds cases of two faults: the fault of a run, and each trial at a later point whose
// prune key is new.
func (e *explorer) pair(result caseResult) {
	if e.options.Interference {
		e.pairWithInterference(result)
		return
	}
	for _, s := range pruneKeys(result.observed, PruneState) {
		for _, t := range e.trialsAt(s.point) {
			key := s.state + string(t.Kind)
			if e.seen[key] {
				e.report.Pruned++
				continue
			}
			e.seen[key] = true
			e.pairs = append(e.pairs, append(slices.Clone(result.Case), t))
		}
	}
}

// pairWithInterference adds cases of an interference and a fault: to a run with one of them, the
// other at each later point. Each is tried once at equivalent points. The first operation belongs
// to the key, because the effect of a late watch depends on when the object has changed. An
// unavailable driver is also tried with a component that sees the interference late.
func (e *explorer) pairWithInterference(result caseResult) {
	first := result.Case[0]
	states := e.pairStates(result.observed)
	var later []Trial
	if first.interferes() {
		for _, s := range pruneKeys(result.observed, e.pairPrune()) {
			later = append(later, e.machineFaults(s.point)...)
		}
	} else {
		later = interferences(result.observed, e.options.Kinds, e.options.At)
	}
	for _, t := range later {
		state, isLater := states[t.Point]
		if !isLater {
			continue
		}
		cases := []Case{{first, t}}
		if late, ok := e.lateView(result.observed, first, t); ok {
			cases = append(cases, late)
		}
		key := first.what() + first.Point.alike().String() + state + t.what()
		if e.seen[key] {
			e.report.Pruned += len(cases)
			continue
		}
		e.seen[key] = true
		e.pairs = append(e.pairs, cases...)
	}
}

// lateView returns the case of an interference and a failed call, in either order, in which the
// caller's watch shows the interference late. Then the caller repeats the call before it sees the
// change.
func (e *explorer) lateView(o *runResult, first, second Trial) (Case, bool) {
	interference, failed := first, second
	if second.interferes() {
		interference, failed = second, first
	}
	kind, name, _ := strings.Cut(interference.Effect.Object, "/")
	told := Point{Component: failed.Point.Component, Seam: journal.SeamAPI, Subject: name, Nth: 1}
	for resource, of := range kindsOf {
		if of == kind {
			told.Operation = journal.EventPrefix + resource
		}
	}
	watched := func(p Point) bool { return p.Component == told.Component && p.Operation == told.Operation }
	if failed.Kind != Fail || told.Operation == "" || !slices.ContainsFunc(pointsOf(o.open(), o.names), watched) {
		return nil, false
	}
	if kind != "Bucket" {
		told.Subject = "*/" + name
	}
	late := Trial{Point: told, Kind: Stale, Effect: timingOf(e.options.Emulator.RPCTimeout).effects(told)[Stale], Follows: true}
	if first.interferes() {
		return Case{first, late, second}, true
	}
	return Case{first, second, late}, true
}

// lateEvents is the number of watch events of an object after the first effect that count as
// different.
const lateEvents = 3

// pairStates returns the states before the later points of a run. The state of a watch event is its
// number among the object's events, because each shows another change.
func (e *explorer) pairStates(o *runResult) map[Point]string {
	states, events := map[Point]string{}, map[Point]int{}
	for _, s := range pruneKeys(o, e.pairPrune()) {
		states[s.point] = s.state
		if s.point.event() {
			events[s.point.alike()]++
			states[s.point] += fmt.Sprint(min(events[s.point.alike()], lateEvents))
		}
	}
	return states
}

// pairPrune selects which operations count as equivalent for the second effect of a pair. The
// whole state differs after nearly every interference.
func (e *explorer) pairPrune() Prune {
	if e.options.Prune == PruneState {
		return PruneObject
	}
	return e.options.Prune
}

// machineFaults returns the faults at points that are combined with an interference: a late watch,
// a restart before a write or a call, and an unavailable driver.
func (e *explorer) machineFaults(points ...Point) []Trial {
	all := timingOf(e.options.Emulator.RPCTimeout).trials(points, []Kind{Stale, CrashBefore, Fail}, e.options.At)
	return slices.DeleteFunc(all, func(t Trial) bool {
		byCOSI := t.Point.Seam == journal.SeamAPI && !t.Point.reads() || t.Point.Seam == journal.SeamRPC && isSidecar(t.Point)
		switch t.Kind {
		case Stale:
			return !t.Point.event()
		case CrashBefore:
			return !byCOSI
		default:
			return t.Point.Seam != journal.SeamRPC || !isSidecar(t.Point)
		}
	})
}

func isSidecar(p Point) bool { return emulator.IsSidecar(p.Component) }
