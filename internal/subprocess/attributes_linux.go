package subprocess

import "syscall"

// attributes have the process end with this one, however that ends. A terminal's
// interrupt is not for it.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
