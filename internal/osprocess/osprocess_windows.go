package osprocess

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// OwnGroup puts a process into its own group, which a terminal's interrupt does not reach.
func OwnGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// OwnSession detaches a process from the terminal.
func OwnSession() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.DETACHED_PROCESS}
}

// Signal ends a process, whatever the signal. The error is os.ErrProcessDone if the process does
// not exist.
func Signal(pid int, _ syscall.Signal) error {
	if !Exists(pid) {
		return os.ErrProcessDone
	}
	process, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return errors.Join(process.Kill(), process.Release())
}

// SignalGroup ends the first process of a group.
func SignalGroup(id int, s syscall.Signal) error { return Signal(id, s) }

// Exists reports whether a process exists.
func Exists(pid int) bool {
	const stillActive = 259
	handle, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid)) //nolint:gosec // it is not negative
	if err != nil {
		return errors.Is(err, windows.ERROR_ACCESS_DENIED)
	}
	defer windows.CloseHandle(handle) //nolint:errcheck // nothing was written
	var code uint32
	return windows.GetExitCodeProcess(handle, &code) == nil && code == stillActive
}
