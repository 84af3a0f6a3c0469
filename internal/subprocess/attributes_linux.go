package subprocess

import "syscall"

// attributes end the process with this one, however that ends, and protect it from a terminal's
// interrupt.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
