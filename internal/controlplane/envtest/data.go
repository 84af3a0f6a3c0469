//go:build unix

package envtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/controlplane"
)

// SaveData implements controlplane.ControlPlane. It suspends etcd during the copy, which is then in
// the state after a kill -9 at that moment: etcd writes each change to its log before the API
// server acknowledges it, and recovers from the log.
func (c *ControlPlane) SaveData(ctx context.Context, dir string) error {
	etcd, err := c.Component(controlplane.Etcd)
	if err != nil {
		return fmt.Errorf("copy the data of etcd: %w", err)
	}
	err = etcd.suspended(ctx, func() error { return copyData(c.files.data(), filepath.Join(dir, etcdDir)) })
	if err != nil {
		return fmt.Errorf("copy the data of etcd: %w", err)
	}
	return nil
}

// suspendTimeout is the time limit for the suspension of a process, which takes microseconds on an
// idle machine.
const suspendTimeout = 10 * time.Second

// suspended calls do while the component's process, if any, is suspended. It is not started or
// stopped meanwhile.
func (c *component) suspended(ctx context.Context, do func() error) (err error) {
	c.opMu.Lock()
	defer c.opMu.Unlock()
	pid := c.Process().PID
	if pid == 0 {
		return do()
	}
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		return fmt.Errorf("suspend process %d: %w", pid, err)
	}
	defer func() {
		if resumed := syscall.Kill(pid, syscall.SIGCONT); resumed != nil {
			err = errors.Join(err, fmt.Errorf("resume process %d: %w", pid, resumed))
		}
	}()
	if err := waitSuspended(ctx, pid); err != nil {
		return err
	}
	return do()
}

// waitSuspended returns when all threads of a process are suspended.
func waitSuspended(ctx context.Context, pid int) error {
	ctx, cancel := context.WithTimeout(ctx, suspendTimeout)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		if done, err := isSuspended(ctx, pid); err != nil || done {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait until process %d is suspended: %w", pid, context.Cause(ctx))
		case <-tick.C:
		}
	}
}

// unfinished is the extension of files that etcd prepares for later, without data.
const unfinished = ".tmp"

func copyData(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir():
			return os.Mkdir(filepath.Join(to, name), 0o700)
		case !entry.Type().IsRegular() || filepath.Ext(path) == unfinished:
			return nil
		default:
			return copyFile(path, filepath.Join(to, name))
		}
	})
}

func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // only read from
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
