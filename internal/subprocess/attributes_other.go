//go:build !linux && !windows

package subprocess

import "syscall"

// attributes protect the process from a terminal's interrupt. If this process is killed, the child
// keeps running, but cannot reach it any more.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
