// Package isolation finds out which scenarios run at the same time, and which have left objects.
package isolation

import (
	"runtime"
	"slices"
	"sync"
	"weak"
)

// maxLeftovers is the number of failed scenarios whose scopes are remembered.
const maxLeftovers = 64

// isolations has the isolation state of each emulator, by a weak pointer: several engines may use
// one emulator.
var isolations sync.Map

// For returns the isolation of an emulator.
func For[E any](emu *E) *Isolation {
	key := weak.Make(emu)
	found, there := isolations.LoadOrStore(key, &Isolation{})
	if !there {
		runtime.AddCleanup(emu, func(key weak.Pointer[E]) { isolations.Delete(key) }, key)
	}
	return found.(*Isolation) //nolint:forcetypeassert // the only type in the map
}

// Isolation records which runs overlap. If a run was alone, all events of unknown origin belong to
// it.
type Isolation struct {
	mu        sync.Mutex
	running   map[*Run]bool // whether another run was active in the meantime
	leftovers []string      // scopes of failed scenarios, which may have left objects
}

// Run is the run of a scenario.
type Run struct {
	isolation *Isolation
	scope     string
}

// Enter starts a run.
func (i *Isolation) Enter(scope, namespace string) *Run {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.running == nil {
		i.running = map[*Run]bool{}
	}
	for other := range i.running {
		i.running[other] = true
	}
	r := &Run{i, scope}
	i.running[r] = len(i.running) > 0
	// Another engine may have used this name for an earlier scenario.
	i.leftovers = slices.DeleteFunc(i.leftovers, func(word string) bool { return word == scope || word == namespace })
	return r
}

// Leave ends a run. If it has failed, events with its scope and the words are due to it.
func (r *Run) Leave(failed bool, words []string) {
	i := r.isolation
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.running, r)
	if !failed {
		return
	}
	i.leftovers = append(i.leftovers, append(slices.Clone(words), r.scope)...)
	i.leftovers = i.leftovers[max(0, len(i.leftovers)-maxLeftovers):]
}

// State reports whether a run has been alone, and the scopes of failed scenarios
// before it.
func (r *Run) State() (alone bool, others []string) {
	i := r.isolation
	i.mu.Lock()
	defer i.mu.Unlock()
	had, present := i.running[r]
	return present && !had, slices.Clone(i.leftovers)
}
