package embedded

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
)

// part is the object store, the server or the controllers.
type part interface {
	// start starts it, and returns when it is ready.
	start(ctx context.Context) error
	// stop stops it gracefully, and waits for it. If ctx ends, it stops at once.
	stop(ctx context.Context) error
	// kill stops it at once: operations in flight fail.
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

// Start starts the component and returns a *controlplane.StartError if it does not become
// ready before ctx ends or within timeout.
func (c *component) Start(ctx context.Context, timeout time.Duration) error {
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

// Stop stops the component, at once when ctx ends or after grace.
func (c *component) Stop(ctx context.Context, grace time.Duration) error {
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

// Kill stops the component at once.
func (c *component) Kill() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running {
		c.running = false
		c.note("killed")
		c.part.kill()
	}
	return nil
}

// Process returns this process.
func (c *component) Process() controlplane.Process {
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

// Failed returns a channel that never receives anything: no component ends by itself.
func (c *ControlPlane) Failed() <-chan error { return c.failed }

// stopComponents stops the components in reverse order.
func (c *ControlPlane) stopComponents(ctx context.Context) error {
	var failed error
	for _, component := range slices.Backward(c.InOrder) {
		if err := component.Stop(ctx, c.StopGrace); err != nil && failed == nil {
			failed = err
		}
	}
	return failed
}
