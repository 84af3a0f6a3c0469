package component

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
	"github.com/cosi-emu/cosi-emu/internal/seam"
)

// incarnation is a running incarnation of a component.
type incarnation struct {
	incarnation *seam.Incarnation
	runner      Runner
	cancel      context.CancelFunc
	ended       chan struct{} // closed when the runner has returned
	err         error
	excused     bool // the exit is not a failure; guarded by the component's mu
	readySince  time.Time
	stopped     error // see Options

	killed context.Context //nolint:containedctx // ends when a fault kills the component, which is its cause
	kill   context.CancelCauseFunc
}

// newIncarnation prepares an incarnation that faults can kill.
func (c *Component) newIncarnation(ctx context.Context) *incarnation {
	c.mu.Lock()
	c.incarnations++
	l := &incarnation{
		incarnation: seam.NewIncarnation(c.options.Journal, c.options.Name, c.incarnations),
		ended:       make(chan struct{}), stopped: c.options.Stopped,
	}
	c.mu.Unlock()
	l.killed, l.kill = context.WithCancelCause(context.WithoutCancel(ctx))
	hooks := c.options.Hooks
	hooks.Crashed = func(by *fault.Applied) { c.crashed(l, by) } //nolint:contextcheck // a restart outlives the start
	l.incarnation.Inject(c.options.Faults, hooks)
	return l
}

func (l *incarnation) whyNotReady(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, l.stopped): // Start returns the reason soon
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

// end kills and fences the incarnation.
func (l *incarnation) end() {
	if killer, ok := l.runner.(Process); ok {
		killer.Kill()
	}
	l.incarnation.Fence()
	l.cancel()
}

type killedError struct{ by *fault.Applied }

func (k *killedError) Error() string { return fmt.Sprintf("fault %q has killed it", k.by.Name) }

// killedBy returns the fault that has killed the incarnation, or nil.
func (l *incarnation) killedBy() error {
	if killed, ok := errors.AsType[*killedError](context.Cause(l.killed)); ok {
		return killed
	}
	return nil
}
