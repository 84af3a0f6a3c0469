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
	// ErrInvalid is the error of a fault that cannot be.
	ErrInvalid = errors.New("invalid fault")
	// ErrDuplicate is the error of a fault whose name another one has.
	ErrDuplicate = errors.New("there is a fault of this name already")
	// ErrUnknown is the error of a name that no fault has.
	ErrUnknown = errors.New("there is no fault of this name")
)

// Set is the faults that are in force. It is safe for concurrent use. Asking an
// empty one costs one atomic load.
type Set struct {
	size   atomic.Int32
	bypass atomic.Bool

	mu      sync.Mutex
	entries []*entry
	lacks   map[string]string // why effects do not exist here, by their names
}

// Status is a fault of a Set and what has come of it.
type Status struct {
	Fault
	// Matched is how many operations were counted, Applied how many of them have
	// suffered the effect.
	Matched int `json:"matched"`
	Applied int `json:"applied"`
}

// NewSet returns an empty set.
func NewSet() *Set { return &Set{} }

// Add puts a fault into force. The error wraps ErrInvalid or ErrDuplicate.
func (s *Set) Add(f Fault) error { return s.add(newEntry(f)) }

// AddBehind does as Add, but the fault is applied only where no other one is, also none
// that is added later: an operation that another one is applied to instead is missed.
func (s *Set) AddBehind(f Fault) error {
	e := newEntry(f)
	e.behind = true
	return s.add(e)
}

func (s *Set) add(added *entry) error {
	f := added.fault
	if err := f.Validate(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if k, _ := kindOf(f.Effect); s.lacks[k.name] != "" {
		return fmt.Errorf("%w %q: the effect %s does not exist here: %s", ErrInvalid, f.Name, k.name, s.lacks[k.name])
	}
	if s.find(f.Name) >= 0 {
		return fmt.Errorf("add fault %q: %w; remove it first, or choose another name", f.Name, ErrDuplicate)
	}
	at := len(s.entries)
	for !added.behind && at > 0 && s.entries[at-1].behind {
		at--
	}
	s.entries = slices.Insert(s.entries, at, added)
	s.size.Store(int32(len(s.entries))) //nolint:gosec // a handful
	return nil
}

// Lack has Add refuse an effect, by its name, that what this set is for cannot have,
// and say why.
func (s *Set) Lack(effect, why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lacks == nil {
		s.lacks = map[string]string{}
	}
	s.lacks[effect] = why
}

// Remove ends a fault: what it holds up goes on. The error wraps ErrUnknown.
func (s *Set) Remove(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.find(name)
	if at < 0 {
		return fmt.Errorf("remove fault %q: %w", name, ErrUnknown)
	}
	close(s.entries[at].healed)
	s.entries = slices.Delete(s.entries, at, at+1)
	s.size.Store(int32(len(s.entries))) //nolint:gosec // a handful
	return nil
}

// Clear ends all faults.
func (s *Set) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.entries {
		close(e.healed)
	}
	s.entries = nil
	s.size.Store(0)
}

// List returns the faults in the order in which they were added, those behind last.
func (s *Set) List() []Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Status, len(s.entries))
	for i, e := range s.entries {
		all[i] = Status{Fault: e.fault, Matched: e.matched, Applied: e.applied}
	}
	return all
}

// Mark gives this moment a name, for the faults in the set that have it as their
// Since or Until.
func (s *Set) Mark(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.entries {
		e.begun = e.begun || e.fault.Match.Since == name
		e.over = e.over || (e.begun && e.fault.Match.Until == name)
	}
}

// At counts a crossing, and returns what it has to suffer, or nil. If several
// faults match, all of them count it, and the one that was added first applies, those
// behind last. A nil Set is an empty one.
func (s *Set) At(c Crossing) *Applied {
	if s == nil || s.size.Load() == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	var suffers *Applied
	for _, e := range s.entries {
		switch {
		case !e.counts(c):
		case e.due(now) && (suffers == nil || suffers.Spared):
			suffers = e.apply(now)
		case e.due(now) && e.behind:
			e.missed++
		case e.fault.Effect.Swap && suffers == nil:
			suffers = &Applied{Fault: e.fault, Spared: true, entry: e}
		}
	}
	return suffers
}

// Active reports whether there is any fault at all.
func (s *Set) Active() bool { return s != nil && s.size.Load() > 0 }

func (s *Set) find(name string) int {
	return slices.IndexFunc(s.entries, func(e *entry) bool { return e.fault.Name == name })
}
