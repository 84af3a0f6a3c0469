package fault

import (
	"sync"
	"time"
)

// entry is a fault that is in force. Its counters belong to the Set.
type entry struct {
	fault  Fault
	kind   kind
	healed chan struct{} // closed when the fault is removed

	begun, over      bool // by its marks
	behind           bool // others go before it
	matched, applied int
	missed           int       // operations that others were applied to
	first            time.Time // when it was first applied

	notes sync.Map // what the seams remember for it
}

func newEntry(f Fault) *entry {
	k, _ := kindOf(f.Effect)
	return &entry{fault: f, kind: k, healed: make(chan struct{}), begun: f.Match.Since == ""}
}

// counts reports whether a crossing matches, and then takes note of it.
func (e *entry) counts(c Crossing) bool {
	if !e.begun || e.over || !e.fault.Match.matches(c) || !e.fault.suits(e.kind, c) {
		return false
	}
	e.matched++
	return true
}

// due reports whether it is the turn of the crossing that was just counted.
func (e *entry) due(now time.Time) bool {
	m := e.fault.Match
	times := m.Times
	if times == 0 && m.Nth > 0 && m.Every == 0 {
		times = 1
	}
	switch {
	case times > 0 && e.applied+e.missed >= times:
		return false
	case m.For > 0 && e.applied > 0 && now.Sub(e.first) >= m.For:
		return false
	case e.matched < m.Nth, e.fault.Effect.Swap && e.matched < 2: // the first has nothing to be swapped with
		return false
	case m.Every > 0:
		return (e.matched-m.Nth)%m.Every == 0
	default:
		return true
	}
}

func (e *entry) apply(now time.Time) *Applied {
	if e.applied == 0 {
		e.first = now
	}
	e.applied++
	return &Applied{Fault: e.fault, entry: e}
}

// Applied is a fault that one crossing has to suffer.
type Applied struct {
	Fault
	// Spared is true for a call that only lends its response to a later one.
	Spared bool

	entry *entry
}

// Healed returns a channel that is closed when the fault is removed from its Set.
func (a *Applied) Healed() <-chan struct{} { return a.entry.healed }

// Note keeps a value under a key for as long as the fault is in force, unless
// there is one already, and returns the one that is kept.
func (a *Applied) Note(key, value any) any {
	kept, _ := a.entry.notes.LoadOrStore(key, value)
	return kept
}

// Noted returns the value that Note keeps under a key, or nil.
func (a *Applied) Noted(key any) any {
	kept, _ := a.entry.notes.Load(key)
	return kept
}

// Swap keeps a value under a key, and returns the one that it replaces, or nil.
func (a *Applied) Swap(key, value any) any {
	before, _ := a.entry.notes.Swap(key, value)
	return before
}
