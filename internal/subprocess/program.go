package subprocess

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"syscall"
)

// Program is a running command with all processes that it has started. They end with this process, however
// that ends. It is safe for concurrent use, except for Wait, which one goroutine calls once.
type Program struct {
	cmd   *exec.Cmd
	group group
}

// StartProgram starts a command. The mark distinguishes its processes from those of other programs: it is unique,
// and no mark begins with another one; see MarkOf.
func StartProgram(cmd *exec.Cmd, mark string) (*Program, error) {
	p := &Program{cmd: cmd}
	cmd.Env = slices.Concat(cmd.Env, []string{variableProcess + "=" + mark})
	cmd.SysProcAttr = attributes()
	if cmd.Cancel != nil { // it has a context
		cmd.Cancel = func() error { return p.Signal(syscall.SIGTERM) }
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if err := p.group.guard(cmd.Process.Pid, mark); err != nil {
		return nil, errors.Join(err, p.group.end(), ignoreExit(cmd.Wait()))
	}
	return p, nil
}

// PID returns the process ID of the command.
func (p *Program) PID() int { return p.cmd.Process.Pid }

// Signal sends a signal to all processes of the command. The error is os.ErrProcessDone if there is none.
func (p *Program) Signal(s syscall.Signal) error { return p.group.signal(s) }

// Terminate sends SIGTERM to the first process of the command alone, as a kubelet does.
func (p *Program) Terminate() error { return p.cmd.Process.Signal(syscall.SIGTERM) }

// Wait waits for the end of the command, and ends the processes that it leaves behind. The first error is the
// one of exec.Cmd.Wait.
func (p *Program) Wait() (exit, err error) {
	exit = p.cmd.Wait()
	return exit, p.group.end()
}

// State returns the exit state of the command, after Wait has returned.
func (p *Program) State() *os.ProcessState { return p.cmd.ProcessState }
