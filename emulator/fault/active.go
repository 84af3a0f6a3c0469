package fault

import (
	"context"
	"sync"
	"time"
)

// active is a fault of a Set, whose lock guards the counters.
type active struct {
	fault Fault
	kind  kind
	done  chan struct{} // closed when the fault is removed

	started, over    bool // set by the marks
	fallback         bool // every other fault has precedence
	matched, applied int
	missed           int       // operations to which other faults were applied
	first            time.Time // when it was first applied

	notes sync.Map // the seams' notes about it
}

func newActive(f Fault) *active {
	k, _ := kindOf(f.Effect)
	return &active{fault: f, kind: k, done: make(chan struct{}), started: f.Match.Since == ""}
}

func (e *active) status() Status {
	return Status{Fault: e.fault, Matched: e.matched, Applied: e.applied}
}

func (e *active) counts(c Operation) bool {
	if !e.started || e.over || !e.fault.Match.matches(c) || !e.fault.suits(e.kind, c) {
		return false
	}
	e.matched++
	return true
}

// due reports whether the operation that was just counted is affected.
func (e *active) due(now time.Time) bool {
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
	case e.matched < m.Nth, e.fault.Effect.Swap && e.matched < 2: // the first response has no predecessor
		return false
	case m.Every > 0:
		return (e.matched-m.Nth)%m.Every == 0
	default:
		return true
	}
}

func (e *active) apply(now time.Time) *Applied {
	if e.applied == 0 {
		e.first = now
	}
	e.applied++
	return &Applied{Fault: e.fault, entry: e}
}

// Applied is a fault that is applied to one operation.
type Applied struct {
	Fault
	// RecordOnly is true for a call whose response is only recorded, for a later call.
	RecordOnly bool

	entry *active
}

// Done returns a channel that is closed when the fault is removed from its Set.
func (a *Applied) Done() <-chan struct{} { return a.entry.done }

// Wait waits for a duration, at most until the fault is removed. It returns the error of ctx if ctx
// ends first.
func (a *Applied) Wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-a.Done():
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// Note stores a value under a key while the fault is active, unless the key has one, and returns
// the stored value.
func (a *Applied) Note(key, value any) any {
	kept, _ := a.entry.notes.LoadOrStore(key, value)
	return kept
}

// Noted returns the value that Note has stored under a key, or nil.
func (a *Applied) Noted(key any) any {
	kept, _ := a.entry.notes.Load(key)
	return kept
}

// Swap stores a value under a key, and returns the previous one, or nil.
func (a *Applied) Swap(key, value any) any {
	before, _ := a.entry.notes.Swap(key, value)
	return before
}
