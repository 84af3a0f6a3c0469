package subprocess

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// signalStrays sends a signal to the processes that have left the group of a command, as a daemon does,
// with the environment that the command gave them. It reports whether there were any.
func signalStrays(group int, mark string, s syscall.Signal) (found bool) {
	processes, _ := filepath.Glob("/proc/[0-9]*") // the pattern is valid
	for _, process := range processes {
		environment, err := os.ReadFile(filepath.Join(process, "environ"))
		if err != nil || !bytes.Contains(append([]byte{0}, environment...), []byte("\x00"+variableProcess+"="+mark+"\x00")) {
			continue
		}
		id, err := strconv.Atoi(filepath.Base(process))
		if of, _ := syscall.Getpgid(id); err != nil || of == group {
			continue
		}
		found = syscall.Kill(id, s) == nil || found
	}
	return found
}
