package engine

import (
	"runtime"
	"slices"
	"sync"
	"weak"

	"github.com/cosi-emu/cosi-emu/emulator"
)

// maxLeftovers is how many scenarios are remembered that have left something.
const maxLeftovers = 64

// isolations are those of all emulators, by weak pointers to them: several engines may
// use one.
var isolations sync.Map

// isolationFor returns the isolation state of an emulator.
func isolationFor(emu *emulator.Emulator) *isolation {
	key := weak.Make(emu)
	found, there := isolations.LoadOrStore(key, &isolation{})
	if !there {
		runtime.AddCleanup(emu, func(key weak.Pointer[emulator.Emulator]) { isolations.Delete(key) }, key)
	}
	return found.(*isolation) //nolint:forcetypeassert // there is nothing else in it
}

// isolation knows which runs overlap. Everything unknown that happens during a run that
// was alone belongs to that run.
type isolation struct {
	mu        sync.Mutex
	running   map[*run]bool // whether another run was active meanwhile
	leftovers []string      // scopes of scenarios that have failed, and may have left something
}

func (c *isolation) enter(r *run) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running == nil {
		c.running = map[*run]bool{}
	}
	for other := range c.running {
		c.running[other] = true
	}
	c.running[r] = len(c.running) > 0
	// Another engine may have given this name to a scenario that is long gone.
	c.leftovers = slices.DeleteFunc(c.leftovers, func(word string) bool { return word == r.scope || word == r.namespace })
}

func (c *isolation) leave(r *run, failed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.running, r)
	if !failed {
		return
	}
	c.leftovers = append(c.leftovers, append(slices.Clone(r.words), r.scope)...)
	c.leftovers = c.leftovers[max(0, len(c.leftovers)-maxLeftovers):]
}

// state reports whether a scenario has been alone, and what others have left before.
func (c *isolation) state(r *run) (alone bool, others []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	had, present := c.running[r]
	return present && !had, slices.Clone(c.leftovers)
}
