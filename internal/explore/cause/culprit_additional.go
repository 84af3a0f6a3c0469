package cause

import (
	"fmt"
	"slices"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/explore/run"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/vocabulary"
)

// additional returns the first write, call or change of the backend after the fault that the
// clean run does not have.
func (s *search) additional([]checks.Finding) (culprit, bool) {
	if len(s.faulted) == 0 {
		return culprit{}, false
	}
	for i, e := range s.events {
		if !changes(e) || e.Fault != "" || !s.afterFault(e) || len(s.inClean(e)) > 0 {
			continue
		}
		c := culprit{cause: s.cause(e, "additional"), seen: []journal.Event{e}}
		c.text = s.did(e) + ", which the run without faults does not have"
		if call, ok := s.within(e); ok {
			c.text += fmt.Sprintf(", in the %s %s", ordinal(len(s.alikeAtDriver(call, s.events[:i]))+1), s.names(call.Operation.String()))
			c.seen = []journal.Event{call, e}
		}
		return c, true
	}
	return culprit{}, false
}

// changes reports whether an event may change something in the API server or in the backend,
// by a component.
func changes(e journal.Event) bool {
	p := run.Point{Seam: e.Seam, Operation: e.Operation.Name}
	switch e.Seam {
	case journal.SeamStore:
		return e.Component != vocabulary.Store && !p.Reads()
	case journal.SeamAPI, journal.SeamRPC:
		return run.IsProgress(e) && !p.Reads() && e.Component != vocabulary.Administrator
	default:
		return false
	}
}

// within returns the call that the driver was answering when it used its backend.
func (s *search) within(e journal.Event) (journal.Event, bool) {
	if e.Seam != journal.SeamStore {
		return journal.Event{}, false
	}
	for _, call := range slices.Backward(s.events) {
		if isDriverCall(call) && !call.Time.After(e.Time) && !call.Time.Add(call.Duration).Before(e.Time) {
			return call, true
		}
	}
	return journal.Event{}, false
}
