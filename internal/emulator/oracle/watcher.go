package oracle

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/fakedriver/administration"
)

// Watcher collects the Input of a run on an emulator. It is safe for concurrent
// use.
type Watcher struct {
	emulator *emulator.Emulator
	journal  *journal.Journal
	started  time.Time

	mu         sync.Mutex
	last       uint64 // number of the last event that was collected
	events     []journal.Event
	incomplete bool
	drivers    map[string]string
	before     *Moment
	moments    []Moment
	touched    []string
	purging    []string
	suspects   []suspect
	sightings  []Sighting
}

// Watch begins a run: what there is now in the backend was there before it.
func Watch(ctx context.Context, emu *emulator.Emulator) (*Watcher, error) {
	w := &Watcher{
		emulator: emu, journal: emu.Journal(), started: time.Now(), last: emu.Journal().Mark(), drivers: emu.Served(),
	}
	truth, err := w.truth(ctx)
	if err != nil {
		return nil, err
	}
	w.before = &Moment{Name: "at the beginning", After: w.last, Until: w.last, Truth: truth}
	return w, nil
}

// Collect takes what has come into the journal. It is to be called now and then,
// because the journal forgets.
func (w *Watcher) Collect() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.collect()
}

func (w *Watcher) collect() {
	events := w.journal.Since(w.last)
	if len(events) == 0 {
		return
	}
	w.incomplete = w.incomplete || events[0].Seq > w.last+1
	w.events = append(w.events, events...)
	for _, e := range events {
		w.forgotten(e)
	}
	w.last = events[len(events)-1].Seq
}

// Touch says that somebody has changed something past COSI; see Input.Touched.
func (w *Watcher) Touch(names ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.touch(names)
}

// Purges says that a driver deletes buckets with what is in them; see Input.Purging.
func (w *Watcher) Purges(driver string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.purging = append(w.purging, driver)
}

// forgotten notes what a backend has lost at once.
func (w *Watcher) forgotten(e journal.Event) {
	if e.Seam != journal.SeamProcess || e.Operation.Name != emulator.StepForget {
		return
	}
	var lost administration.DataLoss
	if json.Unmarshal(e.Response, &lost) == nil {
		w.touch(lost.Buckets)
		w.touch(lost.Accounts)
	}
}

func (w *Watcher) touch(names []string) {
	for _, name := range names {
		if name != "" && !slices.Contains(w.touched, name) {
			w.touched = append(w.touched, name)
		}
	}
}

// Input returns what was collected, for Judge. Secrets are looked for now.
func (w *Watcher) Input(scope Scope) Input {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.collect()
	w.search(scope)
	w.serve()
	return Input{
		Scope: scope, Drivers: maps.Clone(w.drivers), Events: slices.Clone(w.events), Incomplete: w.incomplete, Before: w.before,
		Moments: slices.Clone(w.moments), Touched: slices.Clone(w.touched), Purging: slices.Clone(w.purging),
		Sightings: slices.Clone(w.sightings),
	}
}

// serve remembers who serves which driver, also when he has gone.
func (w *Watcher) serve() {
	maps.Copy(w.drivers, w.emulator.Served())
}

// Rest waits until nothing of the scope has happened for a time, no write and no
// call, and none is under way. It returns false if the context ends before.
func (w *Watcher) Rest(ctx context.Context, scope Scope, quiet time.Duration) bool {
	for {
		w.Collect()
		left := w.unrest(scope, quiet)
		if left <= 0 {
			return true
		}
		if !w.awaitEvent(ctx, left) {
			return false
		}
	}
}

// unrest returns how long it takes at least until it has been quiet for a time.
func (w *Watcher) unrest(scope Scope, quiet time.Duration) time.Duration {
	for _, e := range w.journal.Pending() {
		if Loud(e) && scope.Concerns(e) {
			return quiet
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range slices.Backward(w.events) {
		left := quiet - time.Since(e.Time.Add(e.Duration))
		if left <= 0 {
			return 0 // and so is it for all before
		}
		if Loud(e) && scope.Concerns(e) {
			return left
		}
	}
	return quiet - time.Since(w.started)
}

// awaitEvent returns when there is another event, or after a time; it returns
// false if the context ends.
func (w *Watcher) awaitEvent(ctx context.Context, limit time.Duration) bool {
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	w.mu.Lock()
	last := w.last
	w.mu.Unlock()
	for range w.journal.Follow(within, last) {
		break
	}
	return ctx.Err() == nil
}
