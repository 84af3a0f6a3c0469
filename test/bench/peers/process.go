package peers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/osprocess"
)

const (
	// stopTimeout is how long a server may take to end before it is killed.
	stopTimeout = 10 * time.Second
	// readyTimeout is how long a server may take to answer.
	readyTimeout = time.Minute
	// readyInterval is how long to wait before another attempt.
	readyInterval = 50 * time.Millisecond
)

// process is a server that runs.
type process struct {
	cmd    *exec.Cmd
	log    string
	cancel context.CancelFunc
	ended  chan struct{} // closed when err is set
	err    error
}

// start starts a program. It ends with the context, at the latest.
func start(ctx context.Context, dir, path string, args, env []string) (*process, error) {
	p := &process{log: filepath.Join(dir, "server.log"), ended: make(chan struct{})}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close() //nolint:errcheck // the process has its own descriptor
	ctx, p.cancel = context.WithCancel(ctx)
	p.cmd = exec.CommandContext(ctx, path, args...)
	p.cmd.Dir, p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = dir, env, log, log
	// A Ctrl-C is for this process, which stops the servers.
	p.cmd.SysProcAttr = osprocess.OwnGroup()
	p.cmd.Cancel = func() error { return p.cmd.Process.Signal(syscall.SIGTERM) }
	p.cmd.WaitDelay = stopTimeout
	if err := p.cmd.Start(); err != nil {
		p.cancel()
		return nil, err
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	return p, nil
}

// stop ends the process, and returns when it has ended. How it ends does not matter.
func (p *process) stop() {
	p.cancel()
	<-p.ended
}

// await tries something until it succeeds, the process ends, or readyTimeout has passed.
func (p *process) await(ctx context.Context, try func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	ticker := time.NewTicker(readyInterval)
	defer ticker.Stop()
	for {
		err := try(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ticker.C:
		case <-p.ended:
			return fmt.Errorf("the server has ended: %w: %s", errors.Join(p.err, err), p.lastLine())
		case <-ctx.Done():
			return fmt.Errorf("the server is not ready after %s: %w: %s", readyTimeout, err, p.lastLine())
		}
	}
}

func (p *process) lastLine() string {
	log, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return lastLine(string(log))
}

// cleanEnv is the environment of this process without the variables that would change a server's
// behavior.
func cleanEnv(dir string) []string {
	env := []string{"HOME=" + dir}
	for _, variable := range os.Environ() {
		switch name, _, _ := strings.Cut(variable, "="); name {
		case "PATH", "TMPDIR", "TMP", "TEMP", "SystemRoot", "GOMAXPROCS", "GODEBUG":
			env = append(env, variable)
		}
	}
	return env
}
