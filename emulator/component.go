package emulator

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	cosicontroller "github.com/cosi-emu/cosi-emu/controller"
	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/internal/seam"
)

// ErrWrongState is the error of an operation that the state of a component does
// not allow, such as starting it twice.
var ErrWrongState = errors.New("the component is in the wrong state")

// Runner is one incarnation of a component.
type Runner interface {
	// Start blocks until ctx is done or the component fails.
	Start(ctx context.Context) error
	// WaitReady returns when the component is ready.
	WaitReady(ctx context.Context) error
}

// Process is a Runner that can be killed, such as an operating system process. A crash calls Kill,
// and Start must return soon after. Other Runners are fenced, and then their context is cancelled.
type Process interface{ Kill() }

// factory creates the runner of one incarnation, whose requests must all cross the incarnation's
// seams. The context ends when the runner is ready.
type factory func(context.Context, *seam.Incarnation) (Runner, error)

// Component is a part of the emulator that can be stopped, started and crashed alone.
// It is safe for concurrent use; operations on one component run one after another.
type Component struct {
	name       string
	journal    *journal.Journal
	create     factory
	onFail     func(error)
	faults     *fault.Set
	outage     func(by *fault.Applied)                      // kills a process of the control plane
	loseLease  func(by *fault.Applied)                      // takes the component's Lease; nil without one
	interfere  func(ctx context.Context, by *fault.Applied) // changes objects; see fault.Effect
	remove     func(context.Context) error                  // stops it, and removes it from the emulator
	returned   func(component, subject string, response proto.Message)
	tombstones *seam.Tombstones // deletions that components have seen
	loseData   dataLoss         // deletes the data that outlive incarnations; nil without any
	supervised bool             // restart it when it exits

	operation sync.Mutex     // held during Start, Stop and Crash
	watchers  sync.WaitGroup // one for each incarnation, until it has ended
	restarts  sync.WaitGroup // one for each crash by a fault, until it is over

	mu            sync.Mutex
	state         State
	incarnations  int
	current       *incarnation
	dying         *incarnation       // the last one killed by a fault
	cancelRestart context.CancelFunc // cancels the latest restart
	restarting    int                // number of restarts in progress
	crashLoop     time.Duration      // pause before the next restart of a supervised component
	closed        bool               // set when the emulator stops
}

// incarnation is a running incarnation of a component.
type incarnation struct {
	incarnation *seam.Incarnation
	runner      Runner
	cancel      context.CancelFunc
	ended       chan struct{} // closed when the runner has returned
	err         error
	excused     bool // the exit is not a failure; guarded by the component's mu
	readySince  time.Time

	killed context.Context //nolint:containedctx // ends when a fault kills the component, which is its cause
	kill   context.CancelCauseFunc
}

func newComponent(name string, j *journal.Journal, onFail func(error), create factory) *Component {
	return &Component{name: name, journal: j, create: create, onFail: onFail, state: StateStopped, cancelRestart: func() {}}
}

// Name returns the name of the component, as in the journal.
func (c *Component) Name() string { return c.name }

// State returns the state of the component and the number of its incarnations so far.
func (c *Component) State() (state State, incarnation int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state, c.incarnations
}

// Start starts a new incarnation of the component and returns when it is ready. If that fails, or
// ctx is done first, the component fails. If a fault kills the incarnation before it is ready,
// Start starts the next one. If the emulator is already restarting the component, Start skips the
// pause before the restart and waits for that incarnation. After the emulator has stopped, the
// error wraps ErrWrongState.
func (c *Component) Start(ctx context.Context) error {
	restarting := c.Restarting()
	giveUp := context.AfterFunc(ctx, c.stopRestarting)
	c.operation.Lock()
	defer c.operation.Unlock()
	if state, _ := c.State(); giveUp() && restarting && state == StateRunning {
		return nil
	}
	c.stopRestarting()
	if c.isClosed() {
		return fmt.Errorf("start %s: %w: the emulator is stopped", c.name, ErrWrongState)
	}
	if _, err := c.handle(eventStart); err != nil {
		return fmt.Errorf("start %s: %w", c.name, err)
	}
	return c.start(ctx)
}

// start starts incarnations until one becomes ready without being killed by a fault.
func (c *Component) start(ctx context.Context) error {
	for {
		err := c.startOnce(ctx)
		killed, ok := errors.AsType[*killedError](err)
		if !ok || ctx.Err() != nil {
			return err
		}
		c.betweenIncarnations(ctx, killed.by)
	}
}

func (c *Component) startOnce(ctx context.Context) error {
	c.awaitPreviousEnd()
	l := c.newIncarnation(ctx)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	//nolint:contextcheck // the other context tells of the fault
	defer context.AfterFunc(l.killed, func() { cancel(context.Cause(l.killed)) })()
	err := c.begin(ctx, l)
	if err != nil {
		return fmt.Errorf("start %s: %w", c.name, err)
	}
	err = waitReady(ctx, l)
	if err == nil {
		err = c.ready(l)
	}
	if err != nil {
		l.end()
		<-l.ended
		if killed := l.killedBy(); killed != nil {
			err = killed
		} else {
			l.incarnation.Record(journal.StepFail, err)
		}
		_, rejected := c.handle(eventStartFailed)
		return fmt.Errorf("start %s: %w", c.name, errors.Join(err, rejected))
	}
	l.incarnation.Record(journal.StepReady, nil)
	c.watchers.Go(func() { c.watch(l) }) //nolint:contextcheck // what follows outlives the start
	return nil
}

// ready makes l the running incarnation. It returns an error if a fault has already killed l.
func (c *Component) ready(l *incarnation) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l.killed.Err() != nil {
		return context.Cause(l.killed)
	}
	l.readySince = time.Now()
	_, err := c.transition(eventReady, l)
	return err
}

// newIncarnation prepares an incarnation that faults can kill.
func (c *Component) newIncarnation(ctx context.Context) *incarnation {
	c.mu.Lock()
	c.incarnations++
	l := &incarnation{incarnation: seam.NewIncarnation(c.journal, c.name, c.incarnations), ended: make(chan struct{})}
	c.mu.Unlock()
	l.killed, l.kill = context.WithCancelCause(context.WithoutCancel(ctx))
	//nolint:contextcheck // a restart outlives the start
	l.incarnation.Inject(c.faults, seam.Hooks{
		Crashed: func(by *fault.Applied) { c.crashed(l, by) }, Outage: c.outage, LeaseLost: c.loseLease,
		Interfere: c.interfere, Returned: c.returned, Tombstones: c.tombstones,
	})
	return l
}

func (c *Component) begin(ctx context.Context, l *incarnation) error {
	err := l.incarnation.Begin(ctx)
	if err == nil {
		l.runner, err = c.create(ctx, l.incarnation)
	}
	if err != nil {
		l.incarnation.Fence()
		_, rejected := c.handle(eventStartFailed)
		if killed := l.killedBy(); killed != nil {
			return killed
		}
		l.incarnation.Record(journal.StepFail, err)
		return errors.Join(err, rejected)
	}
	// The component outlives the context of Start.
	runCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	l.cancel = cancel
	go func() {
		defer close(l.ended)
		l.err = l.runner.Start(runCtx)
	}()
	return nil
}

// waitReady waits until the runner is ready. If the runner ends first, the error is its reason.
func waitReady(ctx context.Context, l *incarnation) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	waited := make(chan error, 1)
	go func() { waited <- l.runner.WaitReady(ctx) }()
	select {
	case err := <-waited:
		return l.whyNotReady(ctx, err)
	case <-l.ended:
		cancel(l.exit())
		return l.whyNotReady(ctx, <-waited)
	}
}

func (l *incarnation) whyNotReady(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, cosicontroller.ErrStopped): // Start returns the reason soon
		<-l.ended
		return l.exit()
	}
	return err
}

func (l *incarnation) exit() error {
	if l.err == nil {
		return errors.New("it ended before it was ready")
	}
	return l.err
}

// watch handles exits that Stop, Crash or a fault did not cause.
func (c *Component) watch(l *incarnation) {
	<-l.ended
	c.mu.Lock()
	failed := c.current == l
	if failed {
		_, err := c.transition(eventExit, nil)
		failed = err == nil
	}
	c.mu.Unlock()
	if failed {
		c.fail(l)
	}
}

// fail fences an incarnation that has exited by itself. It reports the failure, or restarts a
// supervised component.
func (c *Component) fail(l *incarnation) {
	l.cancel()
	l.incarnation.Fence()
	err := l.err
	if err == nil {
		err = errors.New("it ended unexpectedly")
	}
	l.incarnation.Record(journal.StepFail, err)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !l.excused && !c.supervised:
		c.onFail(fmt.Errorf("%s: %w", c.name, err))
	case c.state == StateFailed && c.incarnations == l.incarnation.Number():
		c.restartExcused(l)
	}
}

// Stop stops the component after its operations in flight have finished. If ctx is done first, Stop
// fences the component. Stopping a stopped component is no error.
func (c *Component) Stop(ctx context.Context) error {
	c.stopRestarting()
	defer c.restarts.Wait()
	c.operation.Lock()
	defer c.operation.Unlock()
	defer c.watchers.Wait()
	l, err := c.handle(eventStop)
	if l == nil {
		return err
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
	l.incarnation.Record(journal.StepStop, l.err)
	return errors.Join(late, l.err)
}

// close stops the component for good, because its dependencies are about to close.
func (c *Component) close(ctx context.Context) error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	return c.Stop(ctx)
}

func (c *Component) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// Crash ends the component like kill -9: it is fenced immediately, and loses its memory and all
// calls in flight.
func (c *Component) Crash() error {
	c.stopRestarting()
	c.operation.Lock()
	defer c.operation.Unlock()
	defer c.watchers.Wait()
	l, err := c.handle(eventCrash)
	if err != nil {
		return fmt.Errorf("crash %s: %w", c.name, err)
	}
	l.incarnation.Record(journal.StepCrash, nil)
	l.end()
	<-l.ended
	return nil
}

// end kills and fences the incarnation.
func (l *incarnation) end() {
	if killer, ok := l.runner.(Process); ok {
		killer.Kill()
	}
	l.incarnation.Fence()
	l.cancel()
}

// Restart stops the component, if it runs, and starts it again.
func (c *Component) Restart(ctx context.Context) error {
	if err := c.Stop(ctx); err != nil {
		return err
	}
	return c.Start(ctx)
}
