package explore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/explore/cause"
	"github.com/cosi-emu/cosi-emu/internal/explore/plan"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
)

// rememberStates marks the prune keys of the run as tried, with all kinds.
func (e *explorer) rememberStates(o *run.Record) {
	for _, s := range plan.PruneKeys(o, plan.PruneState) {
		for _, t := range e.trialsAt(s.Point) {
			e.seen[s.State+string(t.Kind)] = true
		}
	}
}

// pair adds cases of two faults: the fault of a run, and each trial at a later point whose
// prune key is new.
func (e *explorer) pair(result cause.Result) {
	if e.options.Interference {
		e.pairWithInterference(result)
		return
	}
	for _, s := range plan.PruneKeys(result.Observed, plan.PruneState) {
		for _, t := range e.trialsAt(s.Point) {
			key := s.State + string(t.Kind)
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
func (e *explorer) pairWithInterference(result cause.Result) {
	first := result.Case[0]
	states := e.pairStates(result.Observed)
	var later []plan.Trial
	if first.Interferes() {
		for _, s := range plan.PruneKeys(result.Observed, e.pairPrune()) {
			later = append(later, e.machineFaults(s.Point)...)
		}
	} else {
		later = plan.Interferences(result.Observed, e.options.Kinds, e.options.At)
	}
	for _, t := range later {
		state, isLater := states[t.Point]
		if !isLater {
			continue
		}
		cases := []plan.Case{{first, t}}
		if late, ok := e.lateView(result.Observed, first, t); ok {
			cases = append(cases, late)
		}
		key := first.Action() + first.Point.Alike().String() + state + t.Action()
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
func (e *explorer) lateView(o *run.Record, first, second plan.Trial) (plan.Case, bool) {
	interference, failed := first, second
	if second.Interferes() {
		interference, failed = second, first
	}
	kind, name, _ := strings.Cut(interference.Effect.Object, "/")
	told := run.Point{Component: failed.Point.Component, Seam: journal.SeamAPI, Subject: name, Nth: 1}
	for resource, of := range run.KindOf {
		if of == kind {
			told.Operation = journal.EventPrefix + resource
		}
	}
	watched := func(p run.Point) bool { return p.Component == told.Component && p.Operation == told.Operation }
	if failed.Kind != plan.Fail || told.Operation == "" || !slices.ContainsFunc(run.PointsOf(o.Open(), o.Names), watched) {
		return nil, false
	}
	if kind != "Bucket" {
		told.Subject = "*/" + name
	}
	effects := plan.TimingOf(e.options.Emulator.RPCTimeout).Effects(told)
	late := plan.Trial{Point: told, Kind: plan.Stale, Effect: effects[plan.Stale], Follows: true}
	if first.Interferes() {
		return plan.Case{first, late, second}, true
	}
	return plan.Case{first, second, late}, true
}

// lateEvents is the number of watch events of an object after the first effect that count as
// different.
const lateEvents = 3

// pairStates returns the states before the later points of a run. The state of a watch event is its
// number among the object's events, because each shows another change.
func (e *explorer) pairStates(o *run.Record) map[run.Point]string {
	states, events := map[run.Point]string{}, map[run.Point]int{}
	for _, s := range plan.PruneKeys(o, e.pairPrune()) {
		states[s.Point] = s.State
		if s.Point.Event() {
			events[s.Point.Alike()]++
			states[s.Point] += fmt.Sprint(min(events[s.Point.Alike()], lateEvents))
		}
	}
	return states
}

// pairPrune selects which operations count as equivalent for the second effect of a pair. The
// whole state differs after nearly every interference.
func (e *explorer) pairPrune() plan.Prune {
	if e.options.Prune == plan.PruneState {
		return plan.PruneObject
	}
	return e.options.Prune
}

// machineFaults returns the faults at points that are combined with an interference: a late watch,
// a restart before a write or a call, and an unavailable driver.
func (e *explorer) machineFaults(points ...run.Point) []plan.Trial {
	all := plan.TimingOf(e.options.Emulator.RPCTimeout).Trials(points, []plan.Kind{plan.Stale, plan.CrashBefore, plan.Fail}, e.options.At)
	return slices.DeleteFunc(all, func(t plan.Trial) bool {
		byCOSI := t.Point.Seam == journal.SeamAPI && !t.Point.Reads() || t.Point.Seam == journal.SeamRPC && isSidecar(t.Point)
		switch t.Kind {
		case plan.Stale:
			return !t.Point.Event()
		case plan.CrashBefore:
			return !byCOSI
		default:
			return t.Point.Seam != journal.SeamRPC || !isSidecar(t.Point)
		}
	})
}

func isSidecar(p run.Point) bool { return emulator.IsSidecar(p.Component) }
