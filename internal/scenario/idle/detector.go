package idle

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/description"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/eventscope"
)

// Component is a component of an emulator. An *emulator.Component implements it.
type Component interface {
	Name() string
	State() (state description.State, incarnation int)
	Restarting() bool
}

// Emulator is the part of an emulator that a Detector reads. An *emulator.Emulator implements it.
type Emulator[C Component] interface {
	Journal() *journal.Journal
	Components() []C
}

// Detector measures how long the components of an emulator have been idle. It is safe
// for concurrent use.
type Detector struct {
	journal    *journal.Journal
	components func() []Component
	watches    *watches

	mu     sync.Mutex
	mark   uint64
	since  time.Time
	latest journal.Event
	rest   rest // since the last activity
}

// New returns a detector that counts from now on.
func New[C Component](emu Emulator[C]) *Detector {
	components := func() (all []Component) {
		for _, c := range emu.Components() {
			all = append(all, c)
		}
		return all
	}
	d := &Detector{
		journal: emu.Journal(), components: components, mark: emu.Journal().Mark(), since: time.Now(),
		watches: newWatches(emu.Journal()),
	}
	d.rest = rest{mark: d.mark, until: d.since}
	return d
}

// WaitQuiet waits until the scope has been idle for a time: no write to the API server, no driver
// call, no such request in flight, no component that is restarting, and none whose watch has ended. It returns false if the
// context ends first. It evaluates the scope repeatedly, because another run may start beside one
// that was alone.
func (d *Detector) WaitQuiet(ctx context.Context, scope func() eventscope.Scope, quiet time.Duration) bool {
	for {
		left := d.remaining(scope(), quiet)
		if left <= 0 {
			return true
		}
		if !d.awaitEvent(ctx, left) {
			return false
		}
	}
}

// WaitSettled is WaitQuiet for a time that is also long for this machine: a component that a busy
// machine slows down may still be about to act. The function probe makes one round trip to the API
// server; without an answer, the time is not extended.
func (d *Detector) WaitSettled(
	ctx context.Context, scope func() eventscope.Scope, quiet time.Duration, probe func(context.Context) error,
) bool {
	if !d.WaitQuiet(ctx, scope, quiet) {
		return false
	}
	started := time.Now()
	if probe(ctx) != nil {
		return ctx.Err() == nil
	}
	return d.WaitQuiet(ctx, scope, min(max(quiet, latencyFactor*time.Since(started)), ProtectedQuiet))
}

// Latest returns the last activity that was seen. Its number is 0 if there was none.
func (d *Detector) Latest() journal.Event {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.latest
}

// Rested returns the total time in which the shared components were idle since the last activity of
// the scope.
func (d *Detector) Rested() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	now, pending := time.Now(), d.journal.Pending() // read the pending operations before the ended ones
	shared := map[string]bool{}
	for _, c := range d.components() {
		shared[c.Name()] = isShared(c.Name())
	}
	var spans []span
	for _, e := range d.journal.Since(d.rest.mark) {
		d.rest.mark = e.Seq
		if shared[e.Component] && isWork(e) {
			spans = append(spans, span{e.Time, e.Time.Add(e.Duration)})
		}
	}
	for _, e := range pending {
		if shared[e.Component] && isWork(e) {
			spans = append(spans, span{e.Time, now})
		}
	}
	d.rest.add(spans, now)
	return d.rest.total
}

func isShared(name string) bool { return !strings.Contains(name, ".") }

// isWork reports whether an event is work of a component, and not waiting.
func isWork(e journal.Event) bool {
	return e.Seam == journal.SeamRPC || e.Seam == journal.SeamAPI && !isWatch(e)
}

// Idle reports whether no request of the scope is in flight, except watches, and no component waits
// for its restart.
func (d *Detector) Idle(scope eventscope.Scope) bool {
	for _, e := range d.journal.Pending() {
		if scope.Concerns(e) && !isWatch(e) {
			return false
		}
	}
	return !slices.ContainsFunc(d.components(), func(c Component) bool {
		state, _ := c.State()
		return state == description.StateCrashed
	})
}

// remaining returns the least time until the scope has been idle for a time.
func (d *Detector) remaining(scope eventscope.Scope, quiet time.Duration) time.Duration {
	busy := d.busy(scope) // read the pending operations before the ended ones
	d.mu.Lock()
	defer d.mu.Unlock()
	before := d.since
	for _, e := range d.journal.Since(d.mark) {
		d.mark = e.Seq
		switch {
		case e.Changes() && scope.Concerns(e):
			d.latest = e
		case isWatch(e) && !e.Failed() && (isShared(e.Component) || scope.Names(e.Component)):
			// The component may act on what it has not seen until now.
		default:
			continue
		}
		if end := e.Time.Add(e.Duration); end.After(d.since) {
			d.since = end
		}
	}
	if busy {
		d.since = time.Now()
	}
	if !d.since.Equal(before) {
		d.rest = rest{mark: d.mark, until: time.Now()}
	}
	return quiet - time.Since(d.since)
}

// busy reports whether an activity is in flight, or a component recovers.
func (d *Detector) busy(scope eventscope.Scope) bool {
	inFlight := func(e journal.Event) bool { return e.Changes() && scope.Concerns(e) }
	return slices.ContainsFunc(d.journal.Pending(), inFlight) || d.Recovering(scope)
}

// Recovering reports whether a component of the scope is restarting, or does not watch a kind that it
// has watched.
func (d *Detector) Recovering(scope eventscope.Scope) bool {
	components := d.components()
	restarting := func(c Component) bool {
		return c.Restarting() && (isShared(c.Name()) || scope.Names(c.Name()))
	}
	return slices.ContainsFunc(components, restarting) || d.watches.blind(running(components, scope.Names))
}

func (d *Detector) awaitEvent(ctx context.Context, limit time.Duration) bool {
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	d.mu.Lock()
	mark := d.mark
	d.mu.Unlock()
	for range d.journal.Follow(within, mark) {
		break
	}
	return ctx.Err() == nil
}

// isWatch reports whether a request stays open until something happens.
func isWatch(e journal.Event) bool {
	return e.Seam == journal.SeamAPI && strings.HasPrefix(e.Operation.Name, "watch ")
}
