//go:build unix

package envtest

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"syscall"
	"time"
)

const (
	orphanedName    = "orphaned"
	watchdogTimeout = 10 * time.Second
)

//go:embed watchdog.sh
var watchdogScript string

// watchdog stops the components when this process dies and, unless the data is kept, removes the
// directory. It is a separate process that reads a pipe. Only this process has the other end, so it
// detects any death, including kill -9.
type watchdog struct {
	cmd  *exec.Cmd
	pipe io.WriteCloser
}

func startWatchdog(files layout, keep bool) (*watchdog, error) {
	cmd := watchdogCommand(context.Background(), files, keep)
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the control plane's watchdog: %w", err)
	}
	return &watchdog{cmd: cmd, pipe: pipe}, nil
}

func (w *watchdog) dismiss() error {
	_, err := io.WriteString(w.pipe, "done\n")
	return errors.Join(err, w.pipe.Close(), w.cmd.Wait())
}

func watchdogCommand(ctx context.Context, files layout, keep bool) *exec.Cmd {
	disposition := "remove"
	if keep {
		disposition = "keep"
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", watchdogScript, "cosi-emu-watchdog",
		files.dir, files.run(), disposition)
	cmd.Dir = "/"
	// A terminal sends its interrupt to the process group, but the watchdog must continue.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}
