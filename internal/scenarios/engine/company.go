package engine

import (
	"runtime"
	"slices"
	"sync"
	"weak"

	"github.com/cosi-emu/cosi-emu/emulator"
)

// maxRemembered is how many scenarios are remembered that have left something.
const maxRemembered = 64

// companies are those of all emulators, by weak pointers to them: several engines may
// use one.
var companies sync.Map

// companyOf returns the company on an emulator.
func companyOf(emu *emulator.Emulator) *company {
	key := weak.Make(emu)
	found, there := companies.LoadOrStore(key, &company{})
	if !there {
		runtime.AddCleanup(emu, func(key weak.Pointer[emulator.Emulator]) { companies.Delete(key) }, key)
	}
	return found.(*company) //nolint:forcetypeassert // there is nothing else in it
}

// company is who runs beside whom. In a scenario that has been alone all the time,
// what is known to be nobody's must be its own.
type company struct {
	mu      sync.Mutex
	present map[*run]bool // whether it has had company
	left    []string      // scopes of scenarios that have failed, and may have left something
}

func (c *company) enter(r *run) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.present == nil {
		c.present = map[*run]bool{}
	}
	for other := range c.present {
		c.present[other] = true
	}
	c.present[r] = len(c.present) > 0
	// Another engine may have given this name to a scenario that is long gone.
	c.left = slices.DeleteFunc(c.left, func(word string) bool { return word == r.scope || word == r.namespace })
}

func (c *company) leave(r *run, failed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.present, r)
	if !failed {
		return
	}
	c.left = append(c.left, append(slices.Clone(r.words), r.scope)...)
	c.left = c.left[max(0, len(c.left)-maxRemembered):]
}

// of reports whether a scenario has been alone, and what others have left before.
func (c *company) of(r *run) (alone bool, others []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	had, present := c.present[r]
	return present && !had, slices.Clone(c.left)
}
