// Package process runs the programs of a cluster.
package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
)

// Process is a program that can be started again after it was killed.
type Process struct {
	// Path and Args are the command.
	Path string
	Args []string
	// Env is added to the environment.
	Env []string
	// LogFile gets the output.
	LogFile string

	cmd  *exec.Cmd
	done chan struct{}
}

// Start starts the program, which runs until Kill, or until its namespace ends.
func (p *Process) Start() error {
	log, err := os.OpenFile(p.LogFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()                       //nolint:errcheck // the program has its own descriptor
	p.cmd = exec.Command(p.Path, p.Args...) //nolint:noctx // Kill ends it
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.Env = append(os.Environ(), p.Env...)
	if err := p.cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", p.Path, err)
	}
	cmd, done := p.cmd, make(chan struct{})
	p.done = done
	go func() {
		defer close(done)
		_ = cmd.Wait() // the log explains more than the exit code
	}()
	return nil
}

// ID returns the process ID of the program, which was started.
func (p *Process) ID() int { return p.cmd.Process.Pid }

// Err returns an error with the end of the log if the program has exited.
func (p *Process) Err() error {
	select {
	case <-p.done:
		return fmt.Errorf("%s has exited; its log %s ends:\n%s", p.Path, p.LogFile, strings.Join(controlplane.LogTail(p.LogFile), "\n"))
	default:
		return nil
	}
}

// Kill kills the program, if it runs, and waits for its end.
func (p *Process) Kill() error {
	if p.done == nil {
		return nil
	}
	err := p.cmd.Process.Signal(syscall.SIGKILL)
	<-p.done
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}
