package component

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

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
	if state, _ := c.State(); giveUp() && restarting && state == stateRunning {
		return nil
	}
	c.stopRestarting()
	if c.isClosed() {
		return fmt.Errorf("start %s: %w: the emulator is stopped", c.options.Name, ErrWrongState)
	}
	if _, err := c.handle(eventStart); err != nil {
		return fmt.Errorf("start %s: %w", c.options.Name, err)
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
	i := c.newIncarnation(ctx)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	//nolint:contextcheck // the other context tells of the fault
	defer context.AfterFunc(i.killed, func() { cancel(context.Cause(i.killed)) })()
	err := c.begin(ctx, i)
	if err != nil {
		return fmt.Errorf("start %s: %w", c.options.Name, err)
	}
	err = waitReady(ctx, i)
	if err == nil {
		err = c.ready(i)
	}
	if err != nil {
		i.end()
		<-i.ended
		if killed := i.killedBy(); killed != nil {
			err = killed
		} else {
			c.recordFailure(i, err)
		}
		_, rejected := c.handle(eventStartFailed)
		return fmt.Errorf("start %s: %w", c.options.Name, errors.Join(err, rejected))
	}
	i.incarnation.Record(journal.StepReady, nil)
	c.watchers.Go(func() { c.watch(i) }) //nolint:contextcheck // what follows outlives the start
	return nil
}

// ready makes i the running incarnation. It returns an error if a fault has already killed i.
func (c *Component) ready(i *incarnation) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i.killed.Err() != nil {
		return context.Cause(i.killed)
	}
	i.readySince = time.Now()
	_, err := c.transition(eventReady, i)
	return err
}

func (c *Component) begin(ctx context.Context, i *incarnation) error {
	err := i.incarnation.Begin(ctx)
	if err == nil {
		i.runner, err = c.options.Create(ctx, i.incarnation)
	}
	if err != nil {
		i.incarnation.Fence()
		_, rejected := c.handle(eventStartFailed)
		if killed := i.killedBy(); killed != nil {
			return killed
		}
		c.recordFailure(i, err)
		return errors.Join(err, rejected)
	}
	// The component outlives the context of Start.
	runCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	i.cancel = cancel
	go func() {
		defer close(i.ended)
		i.err = i.runner.Start(runCtx)
	}()
	return nil
}

// waitReady waits until the runner is ready. If the runner ends first, the error is its reason.
func waitReady(ctx context.Context, i *incarnation) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	waited := make(chan error, 1)
	go func() { waited <- i.runner.WaitReady(ctx) }()
	select {
	case err := <-waited:
		return i.whyNotReady(ctx, err)
	case <-i.ended:
		cancel(i.exit())
		return i.whyNotReady(ctx, <-waited)
	}
}
