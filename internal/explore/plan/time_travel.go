package plan

import (
	"slices"
	"strings"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/glob"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// TimeTravels returns the cases of a component that crashes after one of its writes and calls, or after the event of an
// object's end, if the pattern selects it, and begins again with the state before an earlier write or call. Operations
// between which nothing was written to the API share one moment. A scenario that withholds events itself has no cases for
// that component.
func TimeTravels(o *run.Record, at string) []Case {
	var all []Case
	moments := map[string][]run.Point{} // by component
	latest := map[string]time.Time{}    // moment of a component
	for e, p := range run.Numbered(o.Open(), o.Names) {
		if !travels(e, p) || o.Withholds(p.Component) {
			continue
		}
		for _, from := range moments[p.Component] {
			if glob.Match(at, p.String()) {
				all = append(all, timeTravel(from, p))
			}
		}
		if !p.Event() && wrote(o, latest[p.Component], e.Time) {
			moments[p.Component], latest[p.Component] = append(moments[p.Component], p), e.Time
		}
	}
	return all
}

// wrote reports whether the API has changed between two moments, or there is no earlier one.
func wrote(o *run.Record, from, to time.Time) bool {
	return from.IsZero() || slices.ContainsFunc(o.Open(), func(e journal.Event) bool {
		return e.Seam == journal.SeamAPI && !e.Failed() && run.IsProgress(e) && !e.Time.Before(from) && e.Time.Before(to)
	})
}

// travels reports whether a component can crash after the operation: a write or a call of a controller or sidecar, or
// the end of an object that it watches. Others have no cache that can be old. A fault of the scenario takes precedence.
func travels(e journal.Event, p run.Point) bool {
	watches := p.Component == vocabulary.Controller || vocabulary.IsSidecar(p.Component)
	if !watches || run.HasFault(e) {
		return false
	}
	if p.Event() {
		return string(e.Response) == `"DELETED"`
	}
	return !p.Reads() && !strings.HasSuffix(p.Operation, " events")
}

// timeTravel returns the case of a component that crashes after an operation, and begins again with the state before an
// earlier one.
func timeTravel(from, crash run.Point) Case {
	everything := run.Point{Component: crash.Component, Seam: journal.SeamAPI, Operation: "*"}
	return Case{
		{Point: from, Kind: moment, Effect: fault.Effect{Delay: time.Millisecond}},
		{Point: crash, Kind: CrashAfter, Effect: fault.Effect{Crash: fault.After}},
		{Point: everything, Kind: TimeTravel, Effect: fault.Effect{Lag: true, AsOf: faultName(moment, 0)}, Follows: true},
	}
}
