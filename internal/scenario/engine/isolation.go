package engine

import (
	"runtime"
	"slices"
	"sync"
	"weak"

	"github.com/cosi-emu/cosi-emu/emulator"
)

// maxLeftovers is the number of failed scenarios whose scopes are remembered.
const maxLeftovers = 64

// isolations has the isolation state of each emulator, by a weak pointer: several engines may use
// one emulator.
var isolations sync.Map

func isolationFor(emu *emulator.Emulator) *isolation {
	key := weak.Make(emu)
	found, there := isolations.LoadOrStore(key, &isolation{})
	if !there {
		runtime.AddCleanup(emu, func(key weak.Pointer[emulator.Emulator]) { isolations.Delete(key) }, key)
	}
	return found.(*isolation) //nolint:forcetypeassert // the only type in the map
}

// isolation records which runs overlap. If a run was alone, all events of unknown origin belong to
// it.
type isolation struct {
	mu        sync.Mutex
	running   map[*run]bool // whether another run was active in the meantime
	leftovers []string      // scopes of failed scenarios, which may have left objects
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
	// Another engine may have used this name for an earlier scenario.
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

// state reports whether a run has been alone, and the scopes of failed scenarios
// before it.
func (c *isolation) state(r *run) (alone bool, others []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	had, present := c.running[r]
	return present && !had, slices.Clone(c.leftovers)
}
