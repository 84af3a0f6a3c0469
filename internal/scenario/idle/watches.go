package idle

import (
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// rewatchTimeout limits how long a component counts as busy because it does not watch a kind again. It is longer than
// the first four delays of client-go's reflectors together: 1.6 s, 3.2 s, 6.4 s, and 12.8 s at most.
const rewatchTimeout = 30 * time.Second

// opened identifies the watches of a component on one kind.
type opened struct{ component, operation string }

// watches knows which kinds each component watches. A component whose watch has ended does not know what happens, until
// it watches again: it is idle, but not at rest.
type watches struct {
	journal *journal.Journal

	mu      sync.Mutex
	mark    uint64
	known   map[opened]bool
	missing map[opened]time.Time // since when
}

func newWatches(log *journal.Journal) *watches {
	w := &watches{journal: log, mark: log.Mark(), known: map[opened]bool{}, missing: map[opened]time.Time{}}
	w.read()
	return w
}

// read learns the watches that components have opened, and returns the open ones.
func (w *watches) read() map[opened]bool {
	open := map[opened]bool{}
	for _, e := range w.journal.Watches() {
		key := opened{e.Component, e.Operation.Name}
		open[key], w.known[key] = true, true
	}
	for _, e := range w.journal.Since(w.mark) {
		w.mark = e.Seq
		if isWatch(e) && !e.Failed() {
			w.known[opened{e.Component, e.Operation.Name}] = true
		}
	}
	return open
}

// blind reports whether a running component has not opened again a watch that has ended. It forgets watches that stay
// away: a component may need them no longer.
func (w *watches) blind(running func(component string) bool) (blind bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	open, now := w.read(), time.Now()
	for key := range w.known {
		if open[key] || !running(key.component) {
			delete(w.missing, key)
			continue
		}
		since, found := w.missing[key]
		if !found {
			since = now
			w.missing[key] = now
		}
		if now.Sub(since) < rewatchTimeout {
			blind = true
			continue
		}
		delete(w.known, key)
		delete(w.missing, key)
	}
	return blind
}

// running reports whether a component runs that all scenarios share, or that the scope names.
func running(components []Component, named func(string) bool) func(name string) bool {
	return func(name string) bool {
		for _, c := range components {
			if state, _ := c.State(); c.Name() == name {
				return state == description.StateRunning && (isShared(name) || named(name))
			}
		}
		return false
	}
}
