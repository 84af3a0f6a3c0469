package peers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/osprocess"
)

// find returns the path of a peer's program: in the directory of the options, or in the
// cache, for which it is built.
func (o Options) find(ctx context.Context, p Peer, progress func(string)) (string, error) {
	if o.Dir != "" {
		path := filepath.Join(o.Dir, p.Name)
		_, err := os.Stat(path)
		return path, err
	}
	cache := o.CacheDir
	if cache == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("no cache directory for the program: %w", err)
		}
		cache = filepath.Join(base, "cosi-emu", "peers")
	}
	path := filepath.Join(cache, p.Name+"-"+p.Version+"-"+runtime.Version(), p.Name)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return path, err
	}
	progress("build " + p.Name + " " + p.Version + ", which takes minutes")
	return path, build(ctx, p, path)
}

// build builds a program beside its place, and renames it: another process that builds it
// does not matter.
func build(ctx context.Context, p Peer, path string) (err error) {
	goCommand, err := exec.LookPath("go")
	if err != nil {
		return errors.New("there is no go command in PATH to build it with: install Go (https://go.dev/dl), " +
			"or name a directory that has the program")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	stage, err := os.MkdirTemp(filepath.Dir(path), "build-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(stage)) }()
	var output bytes.Buffer
	cmd := exec.CommandContext(ctx, goCommand, "install", p.Package+"@"+p.Version)
	cmd.Dir, cmd.Stdout, cmd.Stderr = stage, &output, &output
	// The user's GOFLAGS and workspace apply to another module.
	cmd.Env = append(os.Environ(), "GOBIN="+stage, "GOTMPDIR="+stage, "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-trimpath",
		"GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	cmd.SysProcAttr = osprocess.OwnGroup()
	cmd.Cancel = func() error { return osprocess.SignalGroup(cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("go install %s@%s: %w: %s", p.Package, p.Version, err, lastLine(output.String()))
	}
	return os.Rename(filepath.Join(stage, p.Name), path)
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
