package main

import (
	"os"
	"os/exec"
	"syscall"
)

// isolates is set if commands run in another root. Without the rights to change it, they have an
// empty home, and a PATH with nothing but the archive.
var isolates = os.Geteuid() == 0

func (s *shell) isolate(cmd *exec.Cmd) {
	if isolates {
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: s.root}
	}
}
