package controlplane

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// ErrNoComponent means that the control plane has no component of that name.
var ErrNoComponent = errors.New("there is no such component")

// Process is a component as the operating system knows it.
type Process struct {
	// Name is the component's name.
	Name string
	// PID is its process ID, 0 if it does not run.
	PID int
	// LogFile is the file with its output.
	LogFile string
}

// Processes returns the components in the order in which they were started.
func (c *ControlPlane) Processes() []Process {
	processes := make([]Process, 0, len(c.components))
	for _, component := range c.components {
		processes = append(processes, component.process())
	}
	return processes
}

// ProcessNames returns the names of the components in the order in which they were
// started.
func (c *ControlPlane) ProcessNames() []string {
	names := make([]string, 0, len(c.components))
	for _, component := range c.components {
		names = append(names, component.process().Name)
	}
	return names
}

// PID returns the process ID of a component, or 0 if it does not run.
func (c *ControlPlane) PID(name string) int {
	if component := c.component(name); component != nil {
		return component.process().PID
	}
	return 0
}

// LogFile returns the file with the output of a component.
func (c *ControlPlane) LogFile(name string) string {
	if component := c.component(name); component != nil {
		return component.process().LogFile
	}
	return ""
}

// StopComponent stops one component, as if its machine were down: others that
// depend on it go on and fail as they may. It is no error if the component does
// not run.
func (c *ControlPlane) StopComponent(ctx context.Context, name string) error {
	component := c.component(name)
	if component == nil {
		return fmt.Errorf("stop %s: %w", name, ErrNoComponent)
	}
	return component.stop(ctx, c.opts.StopGrace)
}

// KillComponent kills one component, as kill -9 does, and returns when it is dead.
// It is no error if the component does not run.
func (c *ControlPlane) KillComponent(name string) error {
	component := c.component(name)
	if component == nil {
		return fmt.Errorf("kill %s: %w", name, ErrNoComponent)
	}
	return component.kill()
}

// StartComponent starts a component that StopComponent stopped, or KillComponent killed, or that ended by
// itself, with the same address, identity and data as before. It is no error if
// the component runs.
func (c *ControlPlane) StartComponent(ctx context.Context, name string) error {
	component := c.component(name)
	if component == nil {
		return fmt.Errorf("start %s: %w", name, ErrNoComponent)
	}
	return component.start(ctx, c.opts.StartTimeout)
}

// Failed returns a channel that receives a *ComponentError for each component that exits by
// itself. The channel is never closed.
func (c *ControlPlane) Failed() <-chan error { return c.monitor.failed }

// Stop stops the components, waits for them, and removes what Options.KeepData
// does not keep. A component that is still there after Options.StopGrace, or
// when ctx ends, is killed. Further calls return the result of the first.
func (c *ControlPlane) Stop(ctx context.Context) error {
	c.stopOnce.Do(func() { c.stopErr = c.stop(ctx) })
	return c.stopErr
}

// stop also undoes a start that failed halfway, so that any part may be missing.
// The watchdog goes last: should this process die before that, it does the rest.
func (c *ControlPlane) stop(ctx context.Context) error {
	if c.lock == nil {
		return nil
	}
	if c.monitor != nil {
		c.monitor.stop()
	}
	err := errors.Join(c.stopComponents(ctx), c.files.leave(c.opts.KeepData))
	for _, r := range c.reserved {
		err = errors.Join(err, r.Close())
	}
	if c.watchdog != nil {
		err = errors.Join(err, c.watchdog.dismiss())
	}
	return errors.Join(err, c.lock.Unlock())
}

// stopComponents stops etcd after those that use it, which need not wait for
// each other.
func (c *ControlPlane) stopComponents(ctx context.Context) error {
	var clients sync.WaitGroup
	errs := make([]error, len(c.components))
	for i, component := range slices.Backward(c.components) {
		if i == 0 {
			clients.Wait()
			errs[i] = component.stop(ctx, c.opts.StopGrace)
			break
		}
		clients.Go(func() { errs[i] = component.stop(ctx, c.opts.StopGrace) })
	}
	return errors.Join(errs...)
}

func (c *ControlPlane) component(name string) *component {
	i := slices.IndexFunc(c.components, func(component *component) bool { return component.name == name })
	if i < 0 {
		return nil
	}
	return c.components[i]
}

func (c *component) process() Process {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := Process{Name: c.name, LogFile: c.files.log(c.name)}
	if c.proc != nil && !c.gone {
		p.PID = c.proc.Pid
	}
	return p
}
