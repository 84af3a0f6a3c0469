//go:build !linux

package child

import "syscall"

// attributes keep a terminal's interrupt from the process. If this one is killed,
// it finds nobody any more that it could reach.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
