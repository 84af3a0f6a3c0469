package fault

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Errors of a Set.
var (
	// ErrInvalid is the error of an invalid fault.
	ErrInvalid = errors.New("invalid fault")
	// ErrDuplicate is the error of a fault whose name already exists.
	ErrDuplicate = errors.New("a fault of this name already exists")
	// ErrUnknown is the error of a name that is not found.
	ErrUnknown = errors.New("fault not found")
)

// Set contains the active faults. It is safe for concurrent use. An operation costs one atomic load
// while the Set is empty.
type Set struct {
	size   atomic.Int32
	bypass atomic.Bool

	mu          sync.Mutex
	entries     []*active
	unsupported map[string]string // reasons, by the names of the effects
	decide      Decision          // nil without a replay
}

// Decision decides whether a fault applies to an operation that matches, in place of the counts in the fault's match. It
// returns false for decided if the counts decide. It must not use the Set.
type Decision func(f Fault, c Operation) (applies, decided bool)

// Decide has a Decision decide for all faults from now on, such as a replay, which knows the operations of the
// recording. Nil ends that.
func (s *Set) Decide(decide Decision) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.decide = decide
}

// Status is a fault of a Set with its counts.
type Status struct {
	Fault
	// Matched is the number of counted operations, Applied the number of affected ones.
	Matched int `json:"matched"`
	Applied int `json:"applied"`
	// Added is when the fault was added to the Set.
	Added time.Time `json:"added,omitzero"`
}

// NewSet returns an empty set.
func NewSet() *Set { return &Set{} }

// Add activates a fault. The error wraps ErrInvalid or ErrDuplicate.
func (s *Set) Add(f Fault) error { return s.add(newActive(f)) }

// AddFallback is Add for a fault that is applied only if no other fault is, including those added
// later. It misses operations that other faults affect.
func (s *Set) AddFallback(f Fault) error {
	e := newActive(f)
	e.fallback = true
	return s.add(e)
}

func (s *Set) add(added *active) error {
	f := added.fault
	if err := f.Validate(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if k, _ := kindOf(f.Effect); s.unsupported[k.name] != "" {
		return fmt.Errorf("%w %q: the effect %s is unsupported here: %s", ErrInvalid, f.Name, k.name, s.unsupported[k.name])
	}
	if s.find(f.Name) >= 0 {
		return fmt.Errorf("add fault %q: %w; remove it first, or choose another name", f.Name, ErrDuplicate)
	}
	if named := s.find(f.AsOf); named >= 0 {
		added.asOf = s.entries[named]
	} else if f.AsOf != "" {
		return fmt.Errorf("%w %q: asOf: %q: %w; add it first", ErrInvalid, f.Name, f.AsOf, ErrUnknown)
	}
	at := len(s.entries)
	for !added.fallback && at > 0 && s.entries[at-1].fallback {
		at--
	}
	s.entries = slices.Insert(s.entries, at, added)
	s.size.Store(int32(len(s.entries))) //nolint:gosec // a handful
	return nil
}

// Unsupported makes Add reject an effect, by its name, with a reason.
func (s *Set) Unsupported(effect, why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unsupported == nil {
		s.unsupported = map[string]string{}
	}
	s.unsupported[effect] = why
}

// Remove ends a fault; operations that it delays continue. The error wraps ErrUnknown.
func (s *Set) Remove(name string) error {
	_, err := s.End(name)
	return err
}

// End is Remove, and returns the final counts of the fault.
func (s *Set) End(name string) (Status, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.find(name)
	if at < 0 {
		return Status{}, fmt.Errorf("remove fault %q: %w", name, ErrUnknown)
	}
	ended := s.entries[at].status()
	close(s.entries[at].done)
	s.entries = slices.Delete(s.entries, at, at+1)
	s.size.Store(int32(len(s.entries))) //nolint:gosec // a handful
	return ended, nil
}

// Clear ends all faults.
func (s *Set) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.entries {
		close(e.done)
	}
	s.entries = nil
	s.size.Store(0)
}

// List returns the faults in the order in which they were added, fallbacks last.
func (s *Set) List() []Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Status, len(s.entries))
	for i, e := range s.entries {
		all[i] = e.status()
	}
	return all
}

// Mark marks this moment for the faults in the set that have the name as their Since or Until.
func (s *Set) Mark(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mark(name)
}

func (s *Set) mark(name string) {
	for _, e := range s.entries {
		e.started = e.started || e.fault.Match.Since == name
		e.over = e.over || (e.started && e.fault.Match.Until == name)
	}
}

// At counts an operation, and returns the fault to apply to it, or nil. All matching faults count
// it, and the one that was added first applies, fallbacks last. A nil Set is an empty one.
func (s *Set) At(c Operation) *Applied {
	if s == nil || s.size.Load() == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	applied := s.apply(c, time.Now())
	if applied != nil && !applied.RecordOnly && applied.entry.applied == 1 {
		s.mark(applied.Name)
	}
	return applied
}

func (s *Set) apply(c Operation, now time.Time) *Applied {
	var applied *Applied
	for _, e := range s.entries {
		if !e.counts(c) {
			continue
		}
		due := s.isDue(e, c, now)
		switch {
		case due && (applied == nil || applied.RecordOnly):
			applied = e.apply(now)
		case due && e.fallback:
			e.missed++
		case e.fault.Effect.Swap && applied == nil:
			applied = &Applied{Fault: e.fault, RecordOnly: true, entry: e}
		}
	}
	return applied
}

// isDue reports whether a fault affects an operation that it has just counted.
func (s *Set) isDue(e *active, c Operation, now time.Time) bool {
	if s.decide != nil {
		if applies, decided := s.decide(e.fault, c); decided {
			return applies
		}
	}
	return e.due(now)
}

// Active reports whether there is any fault at all.
func (s *Set) Active() bool { return s != nil && s.size.Load() > 0 }

func (s *Set) find(name string) int {
	return slices.IndexFunc(s.entries, func(e *active) bool { return e.fault.Name == name })
}
