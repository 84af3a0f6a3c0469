package plan

import (
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
	past := travelled{counts: map[run.Point]int{}, moments: map[string][]run.Point{}, fresh: map[string]bool{}}
	for _, e := range o.Open() {
		p, ok := run.PointOf(e, o.Names)
		if ok {
			past.counts[p]++
			p.Nth = past.counts[p]
		}
		if ok && travels(e, p) && !o.Withholds(p.Component) {
			if glob.Match(at, p.String()) {
				all = append(all, past.travelsTo(p)...)
			}
			past.remember(p)
		}
		if e.Seam == journal.SeamAPI && !e.Failed() && run.IsProgress(e) {
			clear(past.fresh)
		}
	}
	return all
}

// travelled is how far a run has come.
type travelled struct {
	counts  map[run.Point]int      // of operations, by their points without numbers
	moments map[string][]run.Point // by component
	fresh   map[string]bool        // nothing was written since the latest moment of a component
}

func (h travelled) remember(p run.Point) {
	if !p.Event() && !h.fresh[p.Component] {
		h.moments[p.Component] = append(h.moments[p.Component], p)
		h.fresh[p.Component] = true
	}
}

// travelsTo returns a case for each moment of the component that crashes.
func (h travelled) travelsTo(crash run.Point) (all []Case) {
	for _, moment := range h.moments[crash.Component] {
		all = append(all, timeTravel(moment, crash))
	}
	return all
}

// travels reports whether a component can crash after the operation: a write or a call of a controller or sidecar, or
// the end of an object that it watches. Others have no cache that can be old. A fault of the scenario takes precedence.
func travels(e journal.Event, p run.Point) bool {
	watches := p.Component == vocabulary.Controller || vocabulary.IsSidecar(p.Component)
	if !watches || e.Fault != "" && e.Fault != run.Probe.Name {
		return false
	}
	if p.Event() {
		return string(e.Response) == `"DELETED"`
	}
	return !p.Reads() && !strings.HasSuffix(p.Operation, " events")
}

// timeTravel returns the case of a component that crashes after an operation, and begins again with the state before an
// earlier one.
func timeTravel(moment, crash run.Point) Case {
	everything := run.Point{Component: crash.Component, Seam: journal.SeamAPI, Operation: "*"}
	return Case{
		{Point: moment, Kind: Moment, Effect: fault.Effect{Delay: time.Millisecond}},
		{Point: crash, Kind: CrashAfter, Effect: fault.Effect{Crash: fault.After}},
		{Point: everything, Kind: TimeTravel, Effect: fault.Effect{Lag: true, AsOf: faultName(Moment, 0)}, Follows: true},
	}
}
