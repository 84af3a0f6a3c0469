package subprocess

import (
	"syscall"

	"github.com/cosi-emu/cosi-emu/internal/osprocess"
)

func attributes() *syscall.SysProcAttr { return osprocess.OwnGroup() }
