package component

import (
	"context"
	"errors"
	"fmt"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
)

// Stop stops the component after its operations in flight have finished. If ctx is done first, Stop
// fences the component. Stopping a stopped component is no error.
func (c *Component) Stop(ctx context.Context) error {
	c.stopRestarting()
	defer c.restarts.Wait()
	c.operation.Lock()
	defer c.operation.Unlock()
	defer c.watchers.Wait()
	i, err := c.handle(eventStop)
	if i == nil {
		return err
	}
	i.cancel()
	var late error
	select {
	case <-i.ended:
	case <-ctx.Done():
		late = fmt.Errorf("stop %s: it was still busy, and was cut off: %w", c.options.Name, context.Cause(ctx))
	}
	i.incarnation.Fence()
	<-i.ended
	i.incarnation.Record(journal.StepStop, i.err)
	return errors.Join(late, i.err)
}

// Close stops the component for good, because its dependencies are about to close.
func (c *Component) Close(ctx context.Context) error {
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
	i, err := c.handle(eventCrash)
	if err != nil {
		return fmt.Errorf("crash %s: %w", c.options.Name, err)
	}
	i.incarnation.Record(journal.StepCrash, nil)
	i.end()
	<-i.ended
	return nil
}

// Restart stops the component, if it runs, and starts it again.
func (c *Component) Restart(ctx context.Context) error {
	if err := c.Stop(ctx); err != nil {
		return err
	}
	return c.Start(ctx)
}
