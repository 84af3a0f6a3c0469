package component

import (
	"context"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/fault"
)

// crashed handles a fault that kills the component. The operation that causes it must end before
// the incarnation can, so a goroutine does the rest, and restarts the component. If the incarnation
// is not ready yet, Start handles the kill. If it is being stopped, the component stays stopped.
func (c *Component) crashed(i *incarnation, by *fault.Applied) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i.kill(&killedError{by})
	if c.current != i {
		return
	}
	if _, err := c.transition(eventKill, nil); err != nil {
		return
	}
	c.dying = i
	ctx, cancel := context.WithCancel(context.WithoutCancel(i.killed))
	c.cancelRestart = cancel
	c.goRestart(func() {
		defer cancel()
		c.restartAfterCrash(ctx, i, by)
	})
}

// goRestart runs a restart in a goroutine. The caller holds mu.
func (c *Component) goRestart(restart func()) {
	c.restarting++
	c.restarts.Go(func() {
		restart()
		c.mu.Lock()
		defer c.mu.Unlock()
		c.restarting--
	})
}

// Restarting reports whether the emulator is restarting the component after a fault or the loss of
// its Lease.
func (c *Component) Restarting() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.restarting > 0
}

// awaitPreviousEnd waits until the killed incarnation has ended: it may still hold resources that
// the next one needs, such as a socket.
func (c *Component) awaitPreviousEnd() {
	c.mu.Lock()
	dying := c.dying
	c.dying = nil
	c.mu.Unlock()
	if dying != nil {
		<-dying.ended
	}
}

// restartAfterCrash ends an incarnation, and starts the next one after the fault's pause. Start and
// Stop cancel it.
func (c *Component) restartAfterCrash(ctx context.Context, i *incarnation, by *fault.Applied) {
	i.end()
	<-i.ended
	c.betweenIncarnations(ctx, by)
	c.retryStart(ctx, i.incarnation.Number())
}

// retryStart starts the next incarnation, and retries with back-off. It ends when an incarnation is
// ready, or when another call starts or stops the component.
func (c *Component) retryStart(ctx context.Context, incarnations int) {
	for retry := firstRetry; !c.tryStart(ctx, incarnations) && sleep(ctx, retry); retry = min(2*retry, lastRetry) {
		_, incarnations = c.State()
	}
}

func (c *Component) betweenIncarnations(ctx context.Context, by *fault.Applied) {
	if by.Effect.Forget && c.options.LoseData != nil {
		_ = c.forgetLocked(context.WithoutCancel(ctx), by.Name) // the journal records an error
	}
	_ = by.Wait(ctx, by.Effect.Down)
}

// A failed start, for instance because the API server is down, is retried with this back-off, as by
// the kubelet.
const (
	firstRetry = 100 * time.Millisecond
	lastRetry  = 2 * time.Second
)

// stable is the run time after which the next exit of a supervised component does not count as a
// crash loop.
const stable = 10 * time.Second

// pauseAfter returns the pause before the restart of a supervised component, which grows while the
// component exits soon after each start. The caller holds mu.
func (c *Component) pauseAfter(i *incarnation) time.Duration {
	pause := max(firstRetry, min(2*c.crashLoop, lastRetry))
	if time.Since(i.readySince) > stable {
		pause = firstRetry
	}
	c.crashLoop = pause
	return pause
}

// tryStart starts the incarnation after the given one. It reports whether retryStart is done.
func (c *Component) tryStart(ctx context.Context, after int) bool {
	c.operation.Lock()
	defer c.operation.Unlock()
	_, incarnations := c.State()
	if ctx.Err() != nil || incarnations != after {
		return true
	}
	if _, err := c.handle(eventRestart); err != nil {
		return true
	}
	return c.start(ctx) == nil
}

func (c *Component) stopRestarting() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cancelRestart()
}

func sleep(ctx context.Context, d time.Duration) bool {
	passed, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-passed.Done()
	return ctx.Err() == nil
}
