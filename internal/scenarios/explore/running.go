package explore

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/internal/emulator/oracle"
	"github.com/cosi-emu/cosi-emu/internal/scenarios/spec"
)

// running is a run that goes on.
type running struct {
	world    *world
	context  context.Context //nolint:containedctx // the engine's observer has none
	scenario *spec.Scenario
	faults   []fault.Fault
	clean    *observation  // nil: this is the clean run
	silence  time.Duration // see haste; 0: it is not hasty

	from    uint64 // the last event before the first step
	watcher *oracle.Watcher
	started time.Time
	seen    observation

	mu    sync.Mutex
	steps map[*spec.Step]time.Time // that go on, and since when
	began chan struct{}            // closed by begin
}

// own returns the place of a step among those of the scenario, or -1 if it is
// within another one.
func (r *running) own(step *spec.Step) int {
	for i := range r.scenario.Steps {
		if step == &r.scenario.Steps[i] {
			return i
		}
	}
	return -1
}

// begin puts the faults into force, just before the first step.
func (r *running) begin() {
	r.from, r.started = r.world.emu.Journal().Mark(), time.Now()
	var err error
	r.watcher, err = oracle.Watch(r.context, r.world.emu)
	r.fail(err)
	for _, f := range r.faults {
		r.fail(r.world.emu.Faults().AddBehind(f))
	}
	close(r.began)
}

// conclude ends the faults, gives the world time to recover, and looks at it. After
// a step that has failed there is no end to wait for.
func (r *running) conclude(failed bool) {
	r.seen.ended = time.Now()
	r.seen.steps = r.seen.ended.Sub(r.started)
	r.seen.faults = r.world.emu.Faults().List()
	r.world.emu.Faults().Clear()
	if !failed {
		r.fail(r.recover())
		return
	}
	ctx, cancel := context.WithTimeout(r.context, patience)
	defer cancel()
	r.fail(r.glance(r.world.quiet(ctx, r.watcher, briefly)))
}

func (r *running) fail(err error) { r.seen.err = errors.Join(r.seen.err, err) }

// How long nothing must have happened before the world is looked at: at once to see
// whether it has come to its end already, and then for longer than the components
// put off what they try again.
const (
	briefly = 20 * time.Millisecond
	surely  = 3 * retryMaxDelay
	// patience is how long it may take until the end is reached: a watch that was
	// cut is begun again after a second or two.
	patience = 5 * time.Second
	// hastyPatience is how many times the silence it may take in a hasty run.
	hastyPatience = 4
	// deserts is how long it is where no object is left that anybody could act on.
	deserts = time.Second
)

// recover waits until the end of the clean run is reached, or it is certain that it
// will not be.
func (r *running) recover() error {
	limit := patience
	if r.silence > 0 {
		limit = min(limit, hastyPatience*r.silence)
	}
	ctx, cancel := context.WithTimeout(r.context, limit)
	defer cancel()
	for window := briefly; ; {
		quiet := r.world.quiet(ctx, r.watcher, window)
		if err := r.glance(quiet); err != nil || r.same() || !quiet || ctx.Err() != nil {
			return err
		}
		enough := r.enough()
		switch {
		case window >= enough:
			return nil
		case window == briefly:
			window = min(enough, surely)
		case enough < patience:
			window = enough
		default:
			pause(ctx, surely) // and look again
		}
	}
}

// enough is the silence after which it is certain that the end is as it stays.
func (r *running) enough() time.Duration {
	deserted := len(r.seen.end.Objects.Claims)+len(r.seen.end.Objects.Buckets)+len(r.seen.end.Objects.Accesses) == 0
	switch {
	case r.clean == nil && r.silence > 0:
		return retryMaxDelay
	case r.clean == nil, r.silence > 0 && deserted:
		return surely
	case r.silence > 0:
		return max(r.silence, surely)
	case deserted:
		return deserts
	default:
		return patience
	}
}

// glance takes the end of the run to be what there is now.
func (r *running) glance(quiet bool) (err error) {
	if r.seen.end, err = r.world.look(r.context, "after the last step"); err != nil {
		return err
	}
	r.seen.end.Restless = !quiet
	return r.reckonState()
}

// same reports whether the end is that of the clean run, and nothing has happened
// while it was looked at.
func (r *running) same() bool {
	end := r.seen.end
	return r.clean != nil && end.After == end.Until && len(r.seen.state.differences(r.clean.state)) == 0
}

func (r *running) reckonState() (err error) {
	r.seen.names = newNames(r.scenario.Name)
	r.seen.names.read(r.world.emu.Journal().Since(r.from))
	learnFrom(r.seen.names, r.seen.end)
	r.seen.state, err = stateOf(r.seen.end, r.seen.names)
	return err
}

// reckon makes of what was seen what is compared.
func (r *running) reckon() {
	r.fail(r.reckonState())
	r.seen.counts = countsOf(r.seen.events, r.seen.names)
	if r.watcher != nil {
		r.seen.input = r.watcher.Input(scope)
		r.seen.input.Moments = []oracle.Moment{r.seen.end}
	}
}

// learnFrom learns the names of objects that no component has ever touched.
func learnFrom(n *names, m oracle.Moment) {
	for i := range m.Objects.Claims {
		n.learn("BucketClaim", m.Objects.Claims[i].Name, string(m.Objects.Claims[i].UID))
	}
	for i := range m.Objects.Accesses {
		n.learn("BucketAccess", m.Objects.Accesses[i].Name, string(m.Objects.Accesses[i].UID))
	}
	for i := range m.Objects.Buckets {
		n.learn("Bucket", m.Objects.Buckets[i].Name, string(m.Objects.Buckets[i].UID))
	}
}

// quiet waits until nothing has happened for a time, nothing is under way, and every
// component is alive. It returns false if that was not before the context was done.
func (w *world) quiet(ctx context.Context, watcher *oracle.Watcher, window time.Duration) bool {
	if watcher == nil {
		return true // nothing has begun
	}
	for watcher.Rest(ctx, scope, window) {
		if w.running() {
			return true
		}
		if ctx.Err() != nil {
			break
		}
		pause(ctx, window)
	}
	return false
}

// pause waits for a time, or for the context.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
