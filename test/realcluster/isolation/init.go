//go:build linux

package isolation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
)

// runInit is the first process of the namespaces. It prepares mounts and the network, starts the
// tests, and returns their exit code. Orphans of the namespace become its children, and remain
// zombies until it has waited for them.
func runInit(dir string) (int, error) {
	if err := errors.Join(isolateMounts(dir), createNetwork()); err != nil {
		return 0, err
	}
	cmd := again(context.Background(), stageTests)
	cmd.Env = append(cmd.Env, "TMPDIR="+dir)
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("start the tests: %w", err)
	}
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return 0, os.NewSyscallError("wait4", err)
		case pid != cmd.Process.Pid:
		case status.Exited():
			return status.ExitStatus(), nil
		default:
			return 0, fmt.Errorf("the tests were killed by signal %q", status.Signal())
		}
	}
}
