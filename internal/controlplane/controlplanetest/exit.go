package controlplanetest

import (
	"context"
	"io"
	"os/exec"
	"runtime"
	"sync"

	"github.com/cosi-emu/cosi-emu/internal/osprocess"
)

// janitorScript waits until the test binary has ended, however it ends, and removes its directory.
const janitorScript = `trap '' HUP INT TERM; cat >/dev/null; rm -rf "$1"`

// janitors are ends of pipes that close when this process ends.
var janitors struct {
	mu    sync.Mutex
	pipes []io.Closer
}

// removeAtExit removes a directory when this process has ended, also by kill -9. On Windows, the
// directory stays.
func removeAtExit(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	cmd := exec.CommandContext(context.Background(), "/bin/sh", "-c", janitorScript, "janitor", dir)
	cmd.Dir = "/"
	cmd.SysProcAttr = osprocess.OwnGroup()
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	janitors.mu.Lock()
	defer janitors.mu.Unlock()
	janitors.pipes = append(janitors.pipes, pipe)
	return cmd.Start()
}
