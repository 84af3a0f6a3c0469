// Package emulator runs a cosi-emu of this tree, beside whatever else runs on the
// machine, and gets Secrets from it as an application would.
package emulator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	startTimeout = 2 * time.Minute
	stopTimeout  = 30 * time.Second
)

// Emulator is a running cosi-emu.
type Emulator struct {
	api    dynamic.Interface
	driver string
	cmd    *exec.Cmd
	cancel context.CancelFunc
}

// info is the part of what `cosi-emu up -o json` prints that is needed here.
type info struct {
	Kubeconfig string `json:"kubeconfig"`
	DriverName string `json:"driverName"`
}

// Build compiles the cosi-emu of the tree at root, and returns its path in dir.
func Build(ctx context.Context, root, dir string) (string, error) {
	program := filepath.Join(dir, "cosi-emu")
	cmd := exec.CommandContext(ctx, "go", "build", "-C", root, "-trimpath", "-o", program, "./cmd/cosi-emu")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build cosi-emu in %s: %w\n%s", root, err, out)
	}
	return program, nil
}

// Start starts program with state and data of its own in dir. It ends with ctx,
// or with Stop.
func Start(ctx context.Context, program, dir string, https bool) (*Emulator, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	args := []string{"up", "--name", "s3", "--output", "json"}
	if https {
		args = append(args, "--tls")
	}
	e := &Emulator{}
	ctx, e.cancel = context.WithCancel(ctx)
	e.cmd = exec.CommandContext(ctx, program, args...)
	// Without a terminal's signals, so that only Stop decides when it ends.
	e.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	e.cmd.Cancel = func() error { return e.cmd.Process.Signal(syscall.SIGTERM) }
	e.cmd.WaitDelay = stopTimeout
	e.cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+dir)
	log, err := os.Create(filepath.Join(dir, "up.log"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	e.cmd.Stderr = log
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := e.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start cosi-emu: %w", err)
	}
	if err := e.connect(ctx, out); err != nil {
		text, _ := os.ReadFile(log.Name())
		return nil, errors.Join(fmt.Errorf("cosi-emu up: %w\n%s", err, text), e.Stop())
	}
	return e, nil
}

// connect waits until the emulator says that it is ready.
func (e *Emulator) connect(ctx context.Context, out io.ReadCloser) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = out.Close() })()
	var got info
	if err := json.NewDecoder(out).Decode(&got); err != nil {
		return fmt.Errorf("it has not said where it is: %w", errors.Join(context.Cause(ctx), err))
	}
	cfg, err := clientcmd.BuildConfigFromFlags("", got.Kubeconfig)
	if err != nil {
		return err
	}
	cfg.QPS = -1 // the API server is ours alone
	e.driver = got.DriverName
	e.api, err = dynamic.NewForConfig(cfg)
	return err
}

// Stop ends the emulator and all that belongs to it.
func (e *Emulator) Stop() error {
	e.cancel()
	err := e.cmd.Wait()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.Exited() || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
