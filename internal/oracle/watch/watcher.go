package watch

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cosi-emu/cosi-emu/apis/objectstorage"
	"github.com/cosi-emu/cosi-emu/emulator/backend"
	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/eventscope"
	"github.com/cosi-emu/cosi-emu/internal/oracle/observed"
	"github.com/cosi-emu/cosi-emu/internal/store/administration"
)

// Emulator is the part of an emulator that a Watcher reads. An *emulator.Emulator implements it.
type Emulator interface {
	Client() client.WithWatch
	Store() backend.Store
	Keys() backend.Keys
	Info() description.Info
	Journal() *journal.Journal
}

// Watcher collects the Input of a run on an emulator. It is safe for concurrent
// use.
type Watcher struct {
	emulator Emulator
	journal  *journal.Journal
	api      objectstorage.Version
	started  time.Time

	mu           sync.Mutex
	last         uint64 // number of the last collected event
	events       []journal.Event
	redacted     []int // how many secret values each event was searched for
	incomplete   bool
	drivers      map[string]string
	before       *observed.Observation
	observations []observed.Observation
	external     []string
	purging      []string
	leaks        []observed.SecretLeak
}

// Start starts a run: the current contents of the backend existed before it.
func Start(ctx context.Context, emu Emulator) (*Watcher, error) {
	w := &Watcher{
		emulator: emu, journal: emu.Journal(), api: emu.Info().API, started: time.Now(), last: emu.Journal().Mark(), drivers: emu.Info().Served(),
	}
	truth, err := w.backendState(ctx)
	if err != nil {
		return nil, err
	}
	w.before = &observed.Observation{Name: "at the beginning", After: w.last, Until: w.last, Backend: truth}
	return w, nil
}

// ContinueOn has a run go on in the emulator after the first one, with the same journal. No other method may be in progress.
func (w *Watcher) ContinueOn(emu Emulator) { w.emulator = emu }

// Collect reads new events of the journal. It must be called regularly, because the journal drops
// old events.
func (w *Watcher) Collect() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.collect()
}

func (w *Watcher) collect() {
	count := w.journal.SecretCount()
	events := w.journal.Since(w.last)
	if len(events) == 0 {
		return
	}
	w.incomplete = w.incomplete || events[0].Seq > w.last+1
	w.events = append(w.events, events...)
	w.redacted = append(w.redacted, slices.Repeat([]int{count}, len(events))...)
	for _, e := range events {
		w.noteDataLoss(e)
	}
	w.last = events[len(events)-1].Seq
}

// MarkExternal records changes without COSI; see Input.External.
func (w *Watcher) MarkExternal(names ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.markExternal(names)
}

// External returns the changes without COSI so far; see Input.External.
func (w *Watcher) External() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.external)
}

// AllowPurge records that a driver deletes buckets with their objects; see
// Input.Purging.
func (w *Watcher) AllowPurge(driver string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.purging = append(w.purging, driver)
}

// noteDataLoss records that a backend has lost its data.
func (w *Watcher) noteDataLoss(e journal.Event) {
	if e.Seam != journal.SeamProcess || e.Operation.Name != journal.StepForget {
		return
	}
	var lost administration.DataLoss
	if json.Unmarshal(e.Response, &lost) == nil {
		w.markExternal(lost.Buckets)
		w.markExternal(lost.Accounts)
	}
}

func (w *Watcher) markExternal(names []string) {
	for _, name := range names {
		if name != "" && !slices.Contains(w.external, name) {
			w.external = append(w.external, name)
		}
	}
}

// Input returns the collected data, for Judge, without currently known secrets.
func (w *Watcher) Input(scope eventscope.Scope) observed.Input {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.collect()
	w.redactEvents()
	w.noteServed()
	return observed.Input{
		API: w.api, Scope: scope, Drivers: maps.Clone(w.drivers), Events: slices.Clone(w.events), Incomplete: w.incomplete, Before: w.before,
		Requests:     w.journal.UserRequests(w.before.After),
		Observations: slices.Clone(w.observations), External: slices.Clone(w.external), Purging: slices.Clone(w.purging),
		DefaultDelays: !w.emulator.Info().CustomDelays, SecretLeaks: slices.Clone(w.leaks),
	}
}

// noteServed records which sidecar serves which driver, including stopped sidecars.
func (w *Watcher) noteServed() {
	maps.Copy(w.drivers, w.emulator.Info().Served())
}
