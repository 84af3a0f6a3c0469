package checks

import (
	"fmt"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/oracle/evidence"
)

// crashLoop is a component that ends again after each start, and changes nothing in between.
type crashLoop struct {
	component string
	ends      []uint64
	last      journal.Event // the last change by any component
}

func (l *crashLoop) String() string {
	text := fmt.Sprintf("%s has ended %d times", l.component, len(l.ends))
	if l.last.Component == "" {
		return text + ", and no component has done anything else"
	}
	return fmt.Sprintf("%s since %s by %s", text, l.last.Operation, l.last.Component)
}

// crashLoopBefore returns the component that has ended at least twice since the last change before an
// observation, or nil. A component that ended once may come back.
func crashLoopBefore(e *evidence.Evidence, observation int) *crashLoop {
	from, until := uint64(0), e.Observations[observation].Until
	if observation > 0 {
		from = e.Observations[observation-1].Until
	}
	loops := map[string]*crashLoop{}
	var last journal.Event
	for _, event := range e.ScopeEvents {
		switch {
		case event.Seq <= from || event.Seq > until:
		case event.Changes():
			last = event
			clear(loops)
		case event.Seam == journal.SeamProcess && event.Operation.Name == journal.StepFail:
			if loops[event.Component] == nil {
				loops[event.Component] = &crashLoop{component: event.Component, last: last}
			}
			loops[event.Component].ends = append(loops[event.Component].ends, event.Seq)
		}
	}
	return earliest(loops)
}

// earliest returns the loop that began first. A component that has ended only once is in none.
func earliest(loops map[string]*crashLoop) (first *crashLoop) {
	for _, loop := range loops {
		if len(loop.ends) > 1 && (first == nil || loop.ends[0] < first.ends[0]) {
			first = loop
		}
	}
	return first
}
