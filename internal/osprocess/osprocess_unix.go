//go:build unix

package osprocess

import (
	"errors"
	"os"
	"syscall"
)

// OwnGroup puts a process into its own group, which a terminal's interrupt does not reach.
func OwnGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// OwnSession detaches a process from the terminal.
func OwnSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// Signal sends a signal to a process. The error is os.ErrProcessDone if the process does not exist.
func Signal(pid int, s syscall.Signal) error {
	err := syscall.Kill(pid, s)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// SignalGroup sends a signal to all processes of a group. The error is os.ErrProcessDone if there
// is none.
func SignalGroup(id int, s syscall.Signal) error { return Signal(-id, s) }

// Exists reports whether a process exists.
func Exists(pid int) bool { return !errors.Is(Signal(pid, 0), os.ErrProcessDone) }
