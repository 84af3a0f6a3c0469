package emulator

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/emulator/seam"
)

// State is where a component is in its life.
type State string

// The states of a component.
const (
	// StateStopped: not started yet, or stopped in good order.
	StateStopped State = "Stopped"
	// StateRunning: started and ready.
	StateRunning State = "Running"
	// StateCrashed: killed by Crash.
	StateCrashed State = "Crashed"
	// StateFailed: ended by itself, with an error.
	StateFailed State = "Failed"
)

// ErrWrongState is the error of an operation that the state of a component does
// not allow, such as starting it twice.
var ErrWrongState = errors.New("the component is in the wrong state")

// runner is what runs during one life of a component.
type runner interface {
	// Start blocks until ctx is done or the component fails.
	Start(ctx context.Context) error
	// WaitReady returns when the component does its work.
	WaitReady(ctx context.Context) error
}

// factory makes what runs during one life. Everything that it sends out has to
// cross the seams of the incarnation.
type factory func(context.Context, *seam.Incarnation) (runner, error)

// Component is a part of the emulator that can be stopped, started and crashed
// by itself. It is safe for concurrent use; operations on one component follow
// one another.
type Component struct {
	name    string
	journal *journal.Journal
	create  factory
	onFail  func(error)

	operation sync.Mutex     // held during Start, Stop and Crash
	watchers  sync.WaitGroup // one for each life, until it has ended

	mu    sync.Mutex
	state State
	lives int
	life  *life
}

// life is one incarnation of a component while it runs.
type life struct {
	incarnation *seam.Incarnation
	cancel      context.CancelFunc
	ended       chan struct{} // closed when the runner has returned
	err         error         // of the runner; valid when ended is closed
}

func newComponent(name string, j *journal.Journal, onFail func(error), create factory) *Component {
	return &Component{name: name, journal: j, create: create, onFail: onFail, state: StateStopped}
}

// Name returns the name of the component, as it stands in the journal.
func (c *Component) Name() string { return c.name }

// State returns the state of the component, and how many lives it has had.
func (c *Component) State() (state State, incarnation int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state, c.lives
}

// Start begins a new life of the component and returns when it is ready. If that
// fails, or ctx is done before, the component is stopped again.
func (c *Component) Start(ctx context.Context) error {
	c.operation.Lock()
	defer c.operation.Unlock()
	if state, _ := c.State(); state == StateRunning {
		return fmt.Errorf("start %s: %w: it is running", c.name, ErrWrongState)
	}
	l, run, err := c.begin(ctx)
	if err != nil {
		return fmt.Errorf("start %s: %w", c.name, err)
	}
	if err := waitReady(ctx, l, run); err != nil {
		l.cancel()
		l.incarnation.Fence()
		<-l.ended
		c.set(StateFailed, nil)
		l.incarnation.Record("fail", err)
		return fmt.Errorf("start %s: %w", c.name, err)
	}
	c.set(StateRunning, l)
	l.incarnation.Record("ready", nil)
	c.watchers.Go(func() { c.watch(l) })
	return nil
}

// begin creates the runner and sets it going.
func (c *Component) begin(ctx context.Context) (*life, runner, error) {
	c.mu.Lock()
	c.lives++
	incarnation := seam.NewIncarnation(c.journal, c.name, c.lives)
	c.mu.Unlock()
	incarnation.Record("start", nil)
	run, err := c.create(ctx, incarnation)
	if err != nil {
		incarnation.Fence()
		c.set(StateFailed, nil)
		incarnation.Record("fail", err)
		return nil, nil, err
	}
	// The component outlives the context of Start.
	runCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	l := &life{incarnation: incarnation, cancel: cancel, ended: make(chan struct{})}
	go func() {
		defer close(l.ended)
		l.err = run.Start(runCtx)
	}()
	return l, run, nil
}

// waitReady waits until the runner is ready, or has ended before it was.
func waitReady(ctx context.Context, l *life, run runner) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	unlink := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() {
		select {
		case <-l.ended:
			err := l.err
			if err == nil {
				err = errors.New("it ended before it was ready")
			}
			cancel(err)
		case <-unlink:
		}
	})
	err := run.WaitReady(ctx)
	close(unlink)
	watcher.Wait()
	if err != nil && context.Cause(ctx) != nil {
		return context.Cause(ctx)
	}
	return err
}

// watch notices when a component ends that nobody has stopped.
func (c *Component) watch(l *life) {
	<-l.ended
	c.mu.Lock()
	failed := c.life == l
	if failed {
		c.state, c.life = StateFailed, nil
	}
	c.mu.Unlock()
	if !failed {
		return
	}
	l.cancel()
	l.incarnation.Fence()
	err := l.err
	if err == nil {
		err = errors.New("it ended unexpectedly")
	}
	l.incarnation.Record("fail", err)
	c.onFail(fmt.Errorf("%s: %w", c.name, err))
}

// Stop ends the component in good order: it finishes what it has begun. When ctx
// is done before, it is cut off. Stopping a component that does not run is no
// error.
func (c *Component) Stop(ctx context.Context) error {
	c.operation.Lock()
	defer c.operation.Unlock()
	defer c.watchers.Wait()
	l := c.take(StateStopped)
	if l == nil {
		return nil
	}
	l.cancel()
	var late error
	select {
	case <-l.ended:
	case <-ctx.Done():
		late = fmt.Errorf("stop %s: it was still busy, and was cut off: %w", c.name, context.Cause(ctx))
	}
	l.incarnation.Fence()
	<-l.ended
	l.incarnation.Record("stop", l.err)
	return errors.Join(late, l.err)
}

// Crash ends the component as a kill -9 would: at this instant it is fenced, so
// that nothing it has in flight goes on. What it had in memory is lost.
func (c *Component) Crash() error {
	c.operation.Lock()
	defer c.operation.Unlock()
	defer c.watchers.Wait()
	l := c.take(StateCrashed)
	if l == nil {
		return fmt.Errorf("crash %s: %w: it is not running", c.name, ErrWrongState)
	}
	l.incarnation.Record("crash", nil)
	l.incarnation.Fence()
	l.cancel()
	<-l.ended
	return nil
}

// Restart stops the component, if it runs, and starts it again.
func (c *Component) Restart(ctx context.Context) error {
	if err := c.Stop(ctx); err != nil {
		return err
	}
	return c.Start(ctx)
}

// take ends the current life in the books, so that its end is no failure.
func (c *Component) take(next State) *life {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.life
	if l != nil {
		c.state, c.life = next, nil
	}
	return l
}

func (c *Component) set(state State, l *life) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state, c.life = state, l
}
