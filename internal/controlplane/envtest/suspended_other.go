//go:build unix && !linux

package envtest

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strconv"
)

func isSuspended(ctx context.Context, pid int) (bool, error) {
	state, err := exec.CommandContext(ctx, "ps", "-o", "state=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return false, fmt.Errorf("read the state of process %d with ps: %w", pid, err)
	}
	return bytes.HasPrefix(bytes.TrimSpace(state), []byte("T")), nil
}
