package emulator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
)

// killedError is how a life ends that a fault has ended.
type killedError struct{ by *fault.Applied }

func (k *killedError) Error() string { return fmt.Sprintf("fault %q has killed it", k.by.Name) }

// killedBy returns the fault that has ended the life, or nil.
func (l *incarnation) killedBy() error {
	if killed, ok := errors.AsType[*killedError](context.Cause(l.killed)); ok {
		return killed
	}
	return nil
}

// crashed is called from within a crossing, at the instant when a fault has killed
// the component, so the rest of its end, which waits for that crossing, and its
// next life are left to a goroutine. A life that is not ready yet is left to who
// starts it, and one that is being stopped stays stopped.
func (c *Component) crashed(l *incarnation, by *fault.Applied) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l.kill(&killedError{by})
	if c.life != l {
		return
	}
	if _, err := c.transition(eventKill, nil); err != nil {
		return
	}
	c.dying = l
	ctx, cancel := context.WithCancel(context.WithoutCancel(l.killed))
	c.cancelRestart = cancel
	c.goRestart(func() {
		defer cancel()
		c.restartAfterCrash(ctx, l, by)
	})
}

// goRestart does a revival in a goroutine. The caller holds mu.
func (c *Component) goRestart(revival func()) {
	c.restarting++
	c.restarts.Go(func() {
		revival()
		c.mu.Lock()
		defer c.mu.Unlock()
		c.restarting--
	})
}

// Restarting reports whether the component is dead by a fault, and on its way to its next
// life without anybody's help.
func (c *Component) Restarting() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.restarting > 0
}

// awaitPreviousEnd waits until the life has ended that a fault has killed: it may still
// hold what the next one needs, such as a socket.
func (c *Component) awaitPreviousEnd() {
	c.mu.Lock()
	dying := c.dying
	c.dying = nil
	c.mu.Unlock()
	if dying != nil {
		<-dying.ended
	}
}

// restartAfterCrash finishes a life, and begins the next one when its time has come, unless
// somebody else does, or stops the component.
func (c *Component) restartAfterCrash(ctx context.Context, l *incarnation, by *fault.Applied) {
	l.end()
	<-l.ended
	c.betweenLives(ctx, by)
	c.retryStart(ctx, l.incarnation.Number())
}

// retryStart begins the life after so many, until it succeeds or somebody else does.
func (c *Component) retryStart(ctx context.Context, lives int) {
	for retry := firstRetry; !c.tryStart(ctx, lives) && sleep(ctx, retry); retry = min(2*retry, lastRetry) {
		_, lives = c.State()
	}
}

// betweenLives is what a fault does between a life and the next.
func (c *Component) betweenLives(ctx context.Context, by *fault.Applied) {
	if by.Effect.Forget && c.loseData != nil {
		_ = c.forgetLocked(context.WithoutCancel(ctx), by.Name) // the journal has what went wrong
	}
	pause(ctx, by)
}

// A component that cannot be started, for instance because the API server is down,
// is tried again after these times, as the kubelet does.
const (
	firstRetry = 100 * time.Millisecond
	lastRetry  = 2 * time.Second
)

// tryStart begins the life after so many, and reports whether there is no more to
// be done.
func (c *Component) tryStart(ctx context.Context, after int) bool {
	c.operation.Lock()
	defer c.operation.Unlock()
	_, lives := c.State()
	if ctx.Err() != nil || lives != after {
		return true
	}
	if _, err := c.handle(eventRestart); err != nil {
		return true
	}
	return c.start(ctx) == nil
}

// stopRestarting has the component not start by itself any more.
func (c *Component) stopRestarting() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cancelRestart()
}

// sleep waits for a time, and reports whether it has passed.
func sleep(ctx context.Context, d time.Duration) bool {
	passed, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-passed.Done()
	return ctx.Err() == nil
}
