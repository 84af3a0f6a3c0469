package embedded

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/emulator/controlplane"
)

// part is what a component runs.
type part interface {
	// start starts it, and returns when it is ready.
	start(ctx context.Context) error
	// stop stops it gracefully, and waits for it. If ctx ends, it stops at once.
	stop(ctx context.Context) error
	// kill stops it at once: what it does at that moment fails.
	kill()
}

// component is a part of the control plane that can be stopped and started.
type component struct {
	name string
	log  string
	part part

	mu      sync.Mutex
	running bool
}

// start starts the component and returns a *controlplane.StartError if it does not become
// ready before ctx ends or within timeout.
func (c *component) start(ctx context.Context, timeout time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("it was not ready within %v", timeout))
	defer cancel()
	c.note("starting")
	err := ctx.Err()
	if err == nil {
		err = c.part.start(ctx)
	}
	if err != nil {
		c.note(err.Error())
		return &controlplane.StartError{Failure: controlplane.Failure{
			Component: c.name, Err: err, LogTail: controlplane.LogTail(c.log), LogFile: c.log,
		}}
	}
	c.note("ready")
	c.running = true
	return nil
}

func (c *component) stop(ctx context.Context, grace time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.running {
		return nil
	}
	c.running = false
	c.note("stopping")
	ctx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	if err := c.part.stop(ctx); err != nil {
		return fmt.Errorf("stop %s: %w", c.name, err)
	}
	return nil
}

func (c *component) kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running {
		c.running = false
		c.note("killed")
		c.part.kill()
	}
}

func (c *component) process() controlplane.Process {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := controlplane.Process{Name: c.name, LogFile: c.log}
	if c.running {
		p.PID = os.Getpid()
	}
	return p
}

// note writes a line to the component's log. A log that cannot be written is no reason to
// fail.
func (c *component) note(text string) {
	file, err := os.OpenFile(c.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	_, _ = fmt.Fprintf(file, "%s %s: %s\n", time.Now().UTC().Format(time.RFC3339Nano), c.name, text)
	_ = file.Close()
}

// Processes returns the components in the order in which they were started. They are all
// this process.
func (c *ControlPlane) Processes() []controlplane.Process {
	processes := make([]controlplane.Process, 0, len(c.components))
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
		names = append(names, component.name)
	}
	return names
}

// PID returns the ID of this process if a component runs, and otherwise 0.
func (c *ControlPlane) PID(name string) int {
	if component := c.component(name); component != nil {
		return component.process().PID
	}
	return 0
}

// LogFile returns the file with the output of a component.
func (c *ControlPlane) LogFile(name string) string {
	if component := c.component(name); component != nil {
		return component.log
	}
	return ""
}

// StartComponent starts a component that was stopped or killed, with the same address,
// identity and data as before. It is no error if the component runs.
func (c *ControlPlane) StartComponent(ctx context.Context, name string) error {
	component := c.component(name)
	if component == nil {
		return fmt.Errorf("start %s: %w", name, controlplane.ErrNoComponent)
	}
	return component.start(ctx, c.opts.StartTimeout)
}

// StopComponent stops one component. It is no error if the component does not run.
func (c *ControlPlane) StopComponent(ctx context.Context, name string) error {
	component := c.component(name)
	if component == nil {
		return fmt.Errorf("stop %s: %w", name, controlplane.ErrNoComponent)
	}
	return component.stop(ctx, c.opts.StopGrace)
}

// KillComponent ends one component at once. It is no error if the component does not run.
func (c *ControlPlane) KillComponent(name string) error {
	component := c.component(name)
	if component == nil {
		return fmt.Errorf("kill %s: %w", name, controlplane.ErrNoComponent)
	}
	component.kill()
	return nil
}

// Failed returns a channel that never receives anything: no component ends by itself.
func (c *ControlPlane) Failed() <-chan error { return c.failed }

// stopComponents stops the components in reverse order.
func (c *ControlPlane) stopComponents(ctx context.Context) error {
	var failed error
	for _, component := range slices.Backward(c.components) {
		if err := component.stop(ctx, c.opts.StopGrace); err != nil && failed == nil {
			failed = err
		}
	}
	return failed
}

func (c *ControlPlane) component(name string) *component {
	i := slices.IndexFunc(c.components, func(component *component) bool { return component.name == name })
	if i < 0 {
		return nil
	}
	return c.components[i]
}
