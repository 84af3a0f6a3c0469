//go:build unix

package envtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
)

// program starts and stops a component. Its methods take no context, because envtest's do not. They
// return when a slow component is killed.
type program interface {
	// start starts the program with its output in log. It returns when the program is ready.
	start(log *os.File) error
	process() (*os.Process, error)
	stop() error
}

// component is one of the control plane's programs.
type component struct {
	name    string
	files   layout
	program program

	opMu sync.Mutex // held during start and stop
	mu   sync.Mutex
	proc *os.Process // nil unless it is running
	gone bool        // proc has exited by itself
}

var errEarlyExit = errors.New("it ended before it was ready")

func (c *component) Start(ctx context.Context, timeout time.Duration) error {
	c.opMu.Lock()
	defer c.opMu.Unlock()
	if c.running() {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("it was not ready within %v", timeout))
	defer cancel()
	if err := c.launch(ctx); err != nil {
		return &controlplane.StartError{Failure: c.failure(err)}
	}
	return nil
}

func (c *component) launch(ctx context.Context) error {
	if err := os.Remove(c.files.pid(c.name)); err != nil && !os.IsNotExist(err) {
		return err
	}
	log, err := os.OpenFile(c.files.log(c.name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close() //nolint:errcheck // the component has its own descriptor
	if err := c.startProgram(ctx, log); err != nil {
		return err
	}
	proc, err := c.program.process()
	if err != nil {
		return errors.Join(err, c.stopProgram())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.proc, c.gone = proc, false
	return nil
}

// startProgram calls program.start, and kills the program when ctx ends.
func (c *component) startProgram(ctx context.Context, log *os.File) error {
	started := make(chan struct{})
	killed := make(chan struct{})
	go func() {
		defer close(killed)
		c.killWhenDone(ctx, started)
	}()
	err := c.program.start(log)
	close(started)
	<-killed
	if ctx.Err() != nil && err == nil {
		err = ctx.Err()
	}
	if err == nil {
		return nil
	}
	stopErr := c.stopProgram()
	if ctx.Err() != nil {
		return errors.Join(context.Cause(ctx), stopErr)
	}
	return errors.Join(fmt.Errorf("%w: %w", errEarlyExit, err), stopErr)
}

const killInterval = 20 * time.Millisecond

// killWhenDone kills the program if ctx ends before the program has started. It tries repeatedly,
// because the process ID may not be known yet.
func (c *component) killWhenDone(ctx context.Context, started <-chan struct{}) {
	select {
	case <-started:
		return
	case <-ctx.Done():
	}
	tick := time.NewTicker(killInterval)
	defer tick.Stop()
	for {
		if proc, err := readPID(c.files.pid(c.name)); err == nil {
			_ = proc.Kill()
		}
		select {
		case <-started:
			return
		case <-tick.C:
		}
	}
}

// Stop stops the component. It kills the component when ctx ends, or after grace.
func (c *component) Stop(ctx context.Context, grace time.Duration) error {
	c.opMu.Lock()
	defer c.opMu.Unlock()
	proc := c.release()
	if proc == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	unwatch := context.AfterFunc(ctx, func() { _ = proc.Kill() })
	defer unwatch()
	if err := c.stopProgram(); err != nil {
		return fmt.Errorf("stop %s: %w", c.name, err)
	}
	return nil
}

func (c *component) stopProgram() error {
	err := c.program.stop()
	if errors.Is(err, os.ErrProcessDone) || errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}

func (c *component) Kill() error {
	c.opMu.Lock()
	defer c.opMu.Unlock()
	proc := c.release()
	if proc == nil {
		return nil
	}
	if err := proc.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill %s: %w", c.name, err)
	}
	if err := c.stopProgram(); err != nil {
		return fmt.Errorf("wait for the end of %s: %w", c.name, err)
	}
	return nil
}

// release returns the process, and forgets it, so that its exit is not a failure. It returns nil if
// none runs.
func (c *component) release() *os.Process {
	c.mu.Lock()
	defer c.mu.Unlock()
	proc := c.proc
	c.proc = nil
	return proc
}

func (c *component) running() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.proc != nil && !c.gone
}

// checkExit returns a *controlplane.ComponentError, once, if the component has exited unexpectedly.
func (c *component) checkExit() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.proc == nil || c.gone || c.proc.Signal(syscall.Signal(0)) == nil {
		return nil
	}
	c.gone = true
	return &controlplane.ComponentError{Failure: c.failure(errors.New("its process is gone"))}
}

func (c *component) failure(err error) controlplane.Failure {
	file := c.files.log(c.name)
	return controlplane.Failure{Component: c.name, Err: err, LogTail: controlplane.LogTail(file), LogFile: file}
}
