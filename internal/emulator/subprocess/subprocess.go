package subprocess

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"

	"github.com/cosi-emu/cosi-emu/emulator"
)

// Files are what a process is told.
type Files struct {
	// Kubeconfig is a file that leads to the API server.
	Kubeconfig string
	// Endpoint is the gRPC target of the driver; empty for a controller.
	Endpoint string
	// Probe is the TCP address at which the process has to serve /readyz.
	Probe string
}

// Command makes the command of a process, with the context that ends it.
type Command func(context.Context, Files) *exec.Cmd

// Program is a Command of a program with the flags of `cosi-emu controller` and
// `cosi-emu sidecar`, after the given arguments.
func Program(path string, arguments ...string) Command {
	return func(ctx context.Context, files Files) *exec.Cmd {
		cmd := exec.CommandContext(ctx, path, arguments...)
		cmd.Args = append(cmd.Args, "--kubeconfig", files.Kubeconfig, "--health-probe-bind-address", files.Probe)
		if files.Endpoint != "" {
			cmd.Args = append(cmd.Args, "--endpoint", files.Endpoint)
		}
		return cmd
	}
}

// Controller is for emulator.Implementations.
func Controller(command Command) func(*rest.Config, logr.Logger) (emulator.Runner, error) {
	return func(cfg *rest.Config, logger logr.Logger) (emulator.Runner, error) {
		return newRunner(command, cfg, nil, logger)
	}
}

// Sidecar is for emulator.Implementations.
func Sidecar(command Command) func(context.Context, *rest.Config, emulator.SidecarConnection, logr.Logger) (emulator.Runner, error) {
	return func(_ context.Context, cfg *rest.Config, driver emulator.SidecarConnection, logger logr.Logger) (emulator.Runner, error) {
		return newRunner(command, cfg, &driver, logger) //nolint:contextcheck // the process outlives the start
	}
}

// runner is one process, with what leads it out.
type runner struct {
	cmd    *exec.Cmd
	files  Files
	dir    string
	proxy  *proxy
	relay  *relay // nil for a controller
	killed chan struct{}
	end    context.CancelFunc
}

// grace is how long a process may take to end when it is asked to.
const grace = 10 * time.Second

func newRunner(command Command, cfg *rest.Config, driver *emulator.SidecarConnection, logger logr.Logger) (_ *runner, err error) {
	r := &runner{killed: make(chan struct{})}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.close())
		}
	}()
	if r.dir, err = os.MkdirTemp("", "cosi-emu-child-"); err != nil {
		return nil, fmt.Errorf("make a directory for a process: %w", err)
	}
	r.files.Kubeconfig = filepath.Join(r.dir, "kubeconfig")
	if r.proxy, err = newProxy(cfg, r.files.Kubeconfig); err != nil {
		return nil, fmt.Errorf("lead a process to the API server: %w", err)
	}
	if driver != nil {
		r.files.Endpoint = "unix://" + filepath.Join(r.dir, "driver.sock")
		if r.relay, err = newRelay(filepath.Join(r.dir, "driver.sock"), *driver); err != nil {
			return nil, fmt.Errorf("lead a process to the driver: %w", err)
		}
	}
	if r.files.Probe, err = freeAddress(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.end = cancel
	r.cmd = command(ctx, r.files)
	r.cmd.Cancel = func() error { return r.cmd.Process.Signal(syscall.SIGTERM) }
	r.cmd.WaitDelay = grace
	r.cmd.SysProcAttr = attributes()
	r.cmd.Stdout, r.cmd.Stderr = &lines{logger: logger}, &lines{logger: logger}
	if err := r.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", r.cmd.Path, err)
	}
	return r, nil
}

// Start implements emulator.Runner.
func (r *runner) Start(ctx context.Context) error {
	defer context.AfterFunc(ctx, r.end)()
	err := r.cmd.Wait()
	r.end()
	switch {
	case ctx.Err() != nil || isClosed(r.killed):
		err = nil // it was asked for
	case err != nil:
		err = fmt.Errorf("%s has ended: %w", r.cmd.Path, err)
	}
	return errors.Join(err, r.close())
}

// Kill implements emulator.Process: it is kill -9.
func (r *runner) Kill() {
	if !isClosed(r.killed) {
		close(r.killed)
	}
	_ = r.cmd.Process.Kill() // it may have ended by itself
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// close ends everything but the process.
func (r *runner) close() error {
	if r.end != nil {
		r.end()
	}
	var errs []error
	if r.relay != nil {
		errs = append(errs, r.relay.close())
	}
	if r.proxy != nil {
		errs = append(errs, r.proxy.close())
	}
	return errors.Join(append(errs, os.RemoveAll(r.dir))...)
}

func freeAddress() (string, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	return l.Addr().String(), l.Close()
}
