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

	added            time.Time
	started, over    bool // set by the marks
	fallback         bool // every other fault has precedence
	matched, applied int
	missed           int       // operations to which other faults were applied
	first            time.Time // when it was first applied
	asOf             *active   // the fault that Effect.AsOf names

	notes sync.Map // the seams' notes about it
}

func newActive(f Fault) *active {
	k, _ := kindOf(f.Effect)
	return &active{fault: f, kind: k, done: make(chan struct{}), added: time.Now(), started: f.Match.Since == ""}
}

func (a *active) status() Status {
	return Status{Fault: a.fault, Matched: a.matched, Applied: a.applied, Added: a.added}
}

func (a *active) counts(c Operation) bool {
	if !a.started || a.over || !a.fault.Match.matches(c) || !a.fault.suits(a.kind, c) {
		return false
	}
	a.matched++
	return true
}

// due reports whether the operation that was just counted is affected.
func (a *active) due(now time.Time) bool {
	m := a.fault.Match
	times := m.Times
	if times == 0 && m.Nth > 0 && m.Every == 0 {
		times = 1
	}
	switch {
	case times > 0 && a.applied+a.missed >= times:
		return false
	case m.For > 0 && a.applied > 0 && now.Sub(a.first) >= m.For:
		return false
	case a.matched < m.Nth, a.fault.Effect.Swap && a.matched < 2: // the first response has no predecessor
		return false
	case m.Every > 0:
		return (a.matched-m.Nth)%m.Every == 0
	default:
		return true
	}
}

func (a *active) apply(now time.Time) *Applied {
	if a.applied == 0 {
		a.first = now
	}
	a.applied++
	applied := &Applied{Fault: a.fault, entry: a}
	if a.asOf != nil {
		applied.moment = a.asOf.first
	}
	return applied
}

// Applied is a fault that is applied to one operation.
type Applied struct {
	Fault
	// RecordOnly is true for a call whose response is only recorded, for a later call.
	RecordOnly bool

	entry  *active
	moment time.Time
}

// Done returns a channel that is closed when the fault is removed from its Set.
func (a *Applied) Done() <-chan struct{} { return a.entry.done }

// Moment returns when the fault that Effect.AsOf names was first applied; zero means not yet.
func (a *Applied) Moment() time.Time { return a.moment }

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

// Drop removes the value that Note has stored under a key, if it is this one.
func (a *Applied) Drop(key, value any) { a.entry.notes.CompareAndDelete(key, value) }

// Swap stores a value under a key, and returns the previous one, or nil.
func (a *Applied) Swap(key, value any) any {
	before, _ := a.entry.notes.Swap(key, value)
	return before
}
