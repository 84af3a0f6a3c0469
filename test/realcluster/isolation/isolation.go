//go:build linux

// Package isolation runs a test binary in namespaces of its own: processes, mounts, network, host name.
// It needs root.
package isolation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
)

// The stages of a test binary, in the environment variable stageVariable: without one, it prepares
// and starts itself in new namespaces, where the first process collects orphans, and starts the
// binary once more, which runs the tests.
const (
	stageVariable = "COSI_EMU_REALCLUSTER_STAGE"
	stageInit     = "init"
	stageTests    = "tests"

	dirVariable = "COSI_EMU_REALCLUSTER_DIR"
)

// Run returns the exit code of the tests, which run in namespaces of their own with a temporary
// directory. Logs of a failed run are moved to keep.
func Run(tests func() int, keep string) int {
	var code int
	var err error
	switch os.Getenv(stageVariable) {
	case stageTests:
		return tests()
	case stageInit:
		code, err = runInit(Dir())
	default:
		code, err = runOutside(keep)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "realcluster:", err)
		return 1
	}
	return code
}

// Dir returns the temporary directory of the tests.
func Dir() string { return os.Getenv(dirVariable) }

// Logs returns the directory for logs.
func Logs() string { return filepath.Join(Dir(), "logs") }

// CgroupRoot returns the parent of all cgroups of the tests, which is in each hierarchy.
func CgroupRoot() string { return "/" + filepath.Base(Dir()) }

// NodeCgroup returns the parent of the cgroups of a node, which are numbered from 0.
func NodeCgroup(n int) string { return CgroupRoot() + "/node-" + strconv.Itoa(n) }

// runOutside runs the binary in new namespaces, and removes everything that does not end with them.
func runOutside(keep string) (code int, err error) {
	dir, err := os.MkdirTemp("", "cosi-emu-cluster-")
	if err != nil {
		return 0, err
	}
	if err := os.Setenv(dirVariable, dir); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	restore, err := saveKernelSettings()
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, restore()) }()
	defer func() { err = errors.Join(err, removeCgroups(CgroupRoot())) }()
	for n := range Nodes {
		if err := createCgroup(NodeCgroup(n)); err != nil {
			return 0, err
		}
	}
	if code, err = runInNamespaces(); code != 0 || err != nil {
		err = errors.Join(err, keepLogs(keep))
	}
	return code, err
}

func keepLogs(keep string) error {
	if err := errors.Join(os.RemoveAll(keep), os.MkdirAll(filepath.Dir(keep), 0o700)); err != nil {
		return err
	}
	if err := exec.CommandContext(context.Background(), "cp", "-r", Logs(), keep).Run(); err != nil {
		return fmt.Errorf("copy the logs: %w", err)
	}
	fmt.Fprintln(os.Stderr, "realcluster: the logs are in", keep)
	return nil
}

// runInNamespaces returns the exit code of the first process of new namespaces. The kernel kills it
// when this process dies, and every other process of the namespaces with it.
func runInNamespaces() (int, error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	runtime.LockOSThread() // the kernel watches the thread that starts a process
	defer runtime.UnlockOSThread()
	cmd := again(ctx, stageInit)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS,
		Pdeathsig:  syscall.SIGKILL,
		Setpgid:    true,
	}
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && ctx.Err() == nil {
		return exit.ExitCode(), nil
	}
	return 0, errors.Join(err, ctx.Err())
}

// again returns this command for another stage.
func again(ctx context.Context, stage string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "/proc/self/exe", os.Args[1:]...) //nolint:gosec // this very program
	cmd.Args[0] = os.Args[0]
	cmd.Env = append(os.Environ(), stageVariable+"="+stage)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd
}
