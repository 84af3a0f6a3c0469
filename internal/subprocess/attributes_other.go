//go:build !linux && !windows

package subprocess

import "syscall"

// attributes keep a terminal's interrupt from the process. If this process is killed,
// the child keeps running, and cannot reach it any more.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
