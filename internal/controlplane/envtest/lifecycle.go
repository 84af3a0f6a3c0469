//go:build unix

package envtest

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
)

// Failed returns a channel that receives a *controlplane.ComponentError for each component
// that exits by itself. The channel is never closed.
func (c *ControlPlane) Failed() <-chan error { return c.monitor.failed }

// Stop stops the components, waits for them, and removes everything that Options.KeepData does not
// keep. A component that still runs after Options.StopGrace, or when ctx ends, is killed. Further
// calls return the result of the first.
func (c *ControlPlane) Stop(ctx context.Context) error {
	c.stopOnce.Do(func() { c.stopErr = c.stop(ctx) })
	return c.stopErr
}

// stop also undoes a partial start, in which any part may be missing. The watchdog ends last: it
// does the rest if this process dies before.
func (c *ControlPlane) stop(ctx context.Context) error {
	if c.lock == nil {
		return nil
	}
	if c.monitor != nil {
		c.monitor.stop()
	}
	err := errors.Join(c.stopComponents(ctx), c.files.leave(c.opts.KeepData), c.ports.Close())
	if c.watchdog != nil {
		err = errors.Join(err, c.watchdog.dismiss())
	}
	return errors.Join(err, c.lock.Unlock())
}

// stopComponents stops etcd after those that use it, which need not wait for each other.
func (c *ControlPlane) stopComponents(ctx context.Context) error {
	var clients sync.WaitGroup
	errs := make([]error, len(c.InOrder))
	for i, component := range slices.Backward(c.InOrder) {
		if i == 0 {
			clients.Wait()
			errs[i] = component.Stop(ctx, c.StopGrace)
			break
		}
		clients.Go(func() { errs[i] = component.Stop(ctx, c.StopGrace) })
	}
	return errors.Join(errs...)
}

// Process describes the program's operating system process.
func (c *component) Process() controlplane.Process {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := controlplane.Process{Name: c.name, LogFile: c.files.log(c.name)}
	if c.proc != nil && !c.gone {
		p.PID = c.proc.Pid
	}
	return p
}
