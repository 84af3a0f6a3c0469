//go:build unix

package osprocess

import (
	"errors"
	"os"
	"syscall"
)

// OwnGroup gives a process a group of its own: a terminal's interrupt is not for it.
func OwnGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// OwnSession detaches a process from the terminal.
func OwnSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// Signal sends a signal to a process. The error is os.ErrProcessDone if there is none.
func Signal(pid int, s syscall.Signal) error {
	err := syscall.Kill(pid, s)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// SignalGroup sends a signal to all processes of a group. The error is os.ErrProcessDone if
// there is none.
func SignalGroup(id int, s syscall.Signal) error { return Signal(-id, s) }

// Exists reports whether there is a process.
func Exists(pid int) bool { return !errors.Is(Signal(pid, 0), os.ErrProcessDone) }
