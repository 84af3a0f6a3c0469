package binaries

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/osprocess"
)

// ErrNoGo means that the programs must be built, but the go command is not found.
var ErrNoGo = errors.New("no go command in PATH can build them: install Go (https://go.dev/dl), " +
	"or name a directory that has the programs in " + AssetsVariable)

// build compiles targets from the module's sources to bin. The go command writes
// temporary files to stage only, and its output to the log.
func (c *cache) build(ctx context.Context, stage, bin string, targets []target) error {
	goCommand, err := exec.LookPath(c.opts.GoCommand)
	if err != nil {
		return ErrNoGo
	}
	src, err := c.writeModule(stage)
	if err != nil {
		return err
	}
	logFile, err := os.OpenFile(c.logFile(), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer logFile.Close() //nolint:errcheck // a log
	for i, t := range targets {
		watch := newBuildWatch(c.opts.Progress, Update{Phase: Building, Item: t.program, N: i + 1, Total: len(targets), LogFile: c.logFile()})
		output := io.MultiWriter(logFile, watch)
		watch.expect(c.countPackages(ctx, goCommand, stage, src, t, output))
		cmd := c.goCommand(ctx, goCommand, stage, src, "build", "-v", "-trimpath", "-buildvcs=false",
			"-ldflags", c.opts.module.ldflags, "-o", filepath.Join(bin, t.program), t.pkg)
		cmd.Stdout = logFile
		cmd.Stderr = output
		err := cmd.Run()
		watch.stop()
		if ctx.Err() != nil {
			return fmt.Errorf("build %s: %w", t.program, ctx.Err())
		}
		if err != nil {
			return fmt.Errorf("build %s: %w: %s (all of it in %s)", t.program, err, watch.lastLines(), c.logFile())
		}
	}
	return nil
}

// countPackages returns the number of packages of a program, for the estimate. It is 0 if the go
// command fails: the build then reports the cause.
func (c *cache) countPackages(ctx context.Context, goCommand, stage, src string, t target, output io.Writer) int {
	cmd := c.goCommand(ctx, goCommand, stage, src, "list", "-deps", t.pkg)
	cmd.Stderr = output // downloaded modules
	names, err := cmd.Output()
	if err != nil {
		return 0
	}
	return bytes.Count(names, []byte("\n"))
}

func (c *cache) goCommand(ctx context.Context, goCommand, stage, src string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, goCommand, args...)
	cmd.Dir = src
	// The user's GOFLAGS and workspace apply to another module. With GOTMPDIR, an interrupted build
	// leaves no files in the temporary directory.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-mod=readonly", "GOTMPDIR="+stage,
		"GOOS="+c.opts.platform.OS, "GOARCH="+c.opts.platform.Arch)
	// The go command's compilers are in its process group, and are killed with it.
	cmd.SysProcAttr = osprocess.OwnGroup()
	cmd.Cancel = func() error { return osprocess.SignalGroup(cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

func (c *cache) writeModule(stage string) (string, error) {
	src := filepath.Join(stage, "src")
	for name, data := range c.opts.module.files {
		path := filepath.Join(src, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return "", err
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return "", err
		}
	}
	return src, nil
}

func (m module) pick(program string) []target {
	for _, t := range m.targets {
		if strings.EqualFold(t.program, program) {
			return []target{t}
		}
	}
	return nil
}
