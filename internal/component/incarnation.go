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
	readySince  time.Time
	stopped     error // see Options

	killed context.Context //nolint:containedctx // ends when a fault kills the component, which is its cause
	kill   context.CancelCauseFunc
}

// newIncarnation prepares an incarnation that faults can kill.
func (c *Component) newIncarnation(ctx context.Context) *incarnation {
	c.mu.Lock()
	c.incarnations++
	i := &incarnation{
		incarnation: seam.NewIncarnation(c.options.Journal, c.options.Name, c.incarnations),
		ended:       make(chan struct{}), stopped: c.options.Stopped,
	}
	c.mu.Unlock()
	i.killed, i.kill = context.WithCancelCause(context.WithoutCancel(ctx))
	hooks := c.options.Hooks
	hooks.Crashed = func(by *fault.Applied) { c.crashed(i, by) } //nolint:contextcheck // a restart outlives the start
	i.incarnation.Inject(c.options.Faults, hooks)
	return i
}

func (i *incarnation) whyNotReady(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, i.stopped): // Start returns the reason soon
		<-i.ended
		return i.exit()
	}
	return err
}

func (i *incarnation) exit() error {
	if i.err == nil {
		return errors.New("it ended before it was ready")
	}
	return i.err
}

// end kills and fences the incarnation.
func (i *incarnation) end() {
	if killer, ok := i.runner.(Process); ok {
		killer.Kill()
	}
	i.incarnation.Fence()
	i.cancel()
}

type killedError struct{ by *fault.Applied }

func (k *killedError) Error() string { return fmt.Sprintf("fault %q has killed it", k.by.Name) }

// killedBy returns the fault that has killed the incarnation, or nil.
func (i *incarnation) killedBy() error {
	if killed, ok := errors.AsType[*killedError](context.Cause(i.killed)); ok {
		return killed
	}
	return nil
}
