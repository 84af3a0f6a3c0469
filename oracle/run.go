package oracle

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cosi-emu/cosi-emu/emulator"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/eventscope"
	"github.com/cosi-emu/cosi-emu/internal/oracle"
	"github.com/cosi-emu/cosi-emu/internal/oracle/checks"
	"github.com/cosi-emu/cosi-emu/internal/oracle/watch"
	"github.com/cosi-emu/cosi-emu/internal/scenario/idle"
)

// maxWait limits how long an observation waits for idle components.
const maxWait = 5 * idle.MaxWait

// Run has the events and the observed states of an emulator from Start on. It is safe for concurrent use.
type Run struct {
	emulator *emulator.Emulator
	watcher  *watch.Watcher

	stop    context.CancelFunc
	collect sync.WaitGroup
	once    sync.Once
}

// Start begins a run. The buckets and accounts that the backend has now are not judged. Close the run
// after use.
func Start(ctx context.Context, emu *emulator.Emulator) (*Run, error) {
	watcher, err := watch.Start(ctx, emu)
	if err != nil {
		return nil, fmt.Errorf("read the state before a run: %w", err)
	}
	following, stop := context.WithCancel(context.WithoutCancel(ctx))
	r := &Run{emulator: emu, watcher: watcher, stop: stop}
	mark := emu.Journal().Mark()
	r.collect.Go(func() {
		for range emu.Journal().Follow(following, mark) { // the journal drops old events
			watcher.Collect()
		}
	})
	return r, nil
}

// Close ends a run. Its findings stay.
func (r *Run) Close() {
	r.once.Do(func() {
		r.stop()
		r.collect.Wait()
	})
}

// MarkExternal names buckets, accounts and objects that the caller changes itself, without COSI: IDs of buckets and accounts, and
// objects, KIND/NAME, whose finalizers it removes. Their leaks and losses are not COSI's.
func (r *Run) MarkExternal(names ...string) { r.watcher.MarkExternal(names...) }

// Observe waits until the components are idle, and records the state of the API server and of the backend.
// The moment names it in findings, as in "at the end". Components that do not become idle within half a
// minute are a finding of [Silence]. The error is about the API server or the backend, or the end of ctx.
func (r *Run) Observe(ctx context.Context, moment string) error {
	for _, quiet := range []time.Duration{idle.LongQuiet, 2 * idle.LongQuiet} {
		settled := r.settle(ctx, quiet)
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.watcher.Observe(ctx, moment, scope, !settled); err != nil {
			return fmt.Errorf("observe the state %s: %w", moment, err)
		}
		// On a busy machine a component may be about to repair it.
		if !settled || quiet > idle.LongQuiet || !slices.ContainsFunc(r.judge(), checks.Finding.IsTransient) {
			return nil
		}
		r.watcher.DiscardObservation()
	}
	return nil
}

func (r *Run) settle(ctx context.Context, quiet time.Duration) bool {
	limited, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	return idle.New(r.emulator).WaitSettled(limited, scope, quiet, func(ctx context.Context) error {
		return idle.ProbeLatency(ctx, r.emulator.Client(), metav1.NamespaceDefault)
	})
}

// scope has all events of the emulator.
func scope() eventscope.Scope { return eventscope.Scope{Alone: true} }

func (r *Run) judge() []checks.Finding { return oracle.Judge(r.watcher.Input(scope())) }

// Findings returns the violations until now, of some oracles, by default of all.
// Leaks, losses and states are judged by the observations: there are none before the first. The error is
// about a name that no oracle has.
func (r *Run) Findings(oracles ...string) ([]Finding, error) {
	for _, name := range oracles {
		if !slices.Contains(Names(), name) {
			return nil, fmt.Errorf("there is no oracle %q: they are %s", name, strings.Join(Names(), ", "))
		}
	}
	r.watcher.Collect()
	var found []Finding
	for _, f := range r.judge() {
		if len(oracles) == 0 || slices.Contains(oracles, f.Oracle) {
			found = append(found, Finding{
				Oracle: f.Oracle, Subject: f.Subject, Message: f.Message, Rule: f.Sentence(), Events: r.events(f.Events),
			})
		}
	}
	return found, nil
}

// events returns the events with the given numbers.
func (r *Run) events(numbers []uint64) []journal.Event {
	if len(numbers) == 0 {
		return nil
	}
	all := r.emulator.Journal().Since(slices.Min(numbers) - 1)
	return slices.DeleteFunc(slices.Clone(all), func(e journal.Event) bool { return !slices.Contains(numbers, e.Seq) })
}
