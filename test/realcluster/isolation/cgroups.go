//go:build linux

package isolation

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

const cgroupMount = "/sys/fs/cgroup"

// hierarchies returns the mount points of cgroup v1, or that of cgroup v2.
func hierarchies() ([]string, error) {
	if _, err := os.Stat(filepath.Join(cgroupMount, "cgroup.controllers")); err == nil {
		return []string{cgroupMount}, nil
	}
	return filepath.Glob(cgroupMount + "/*")
}

// NodeProcesses returns a directory with the processes of a node's containers: the cgroup in one hierarchy.
func NodeProcesses(n int) string {
	if _, err := os.Stat(filepath.Join(cgroupMount, "cgroup.controllers")); err == nil {
		return filepath.Join(cgroupMount, NodeCgroup(n))
	}
	return filepath.Join(cgroupMount, "pids", NodeCgroup(n))
}

// createCgroup creates a cgroup and its parent in each hierarchy. kubelet expects that the root of its
// cgroups exists.
func createCgroup(name string) error {
	mounts, err := hierarchies()
	if err != nil {
		return err
	}
	for _, mount := range mounts {
		parent := filepath.Join(mount, filepath.Dir(name))
		if err := errors.Join(createIn(mount, parent), createIn(parent, filepath.Join(mount, name))); err != nil {
			return fmt.Errorf("create a cgroup: %w", err)
		}
	}
	return nil
}

// delegate has the children of a cgroup v2 use all of its controllers. A cgroup v1 has no such setting.
func delegate(dir string) error {
	controllers, err := os.ReadFile(filepath.Join(dir, "cgroup.controllers"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for name := range strings.FieldsSeq(string(controllers)) {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, "cgroup.subtree_control"), []byte("+"+name), 0o600))
	}
	return err
}

// createIn creates a cgroup. A cpuset without processors and memory cannot have processes.
func createIn(parent, dir string) error {
	if err := delegate(parent); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil && !os.IsExist(err) { //nolint:gosec // as all cgroups
		return err
	}
	for _, setting := range []string{"cpuset.cpus", "cpuset.mems"} {
		value, err := os.ReadFile(filepath.Join(parent, setting))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, setting), value, 0o600)) //nolint:gosec // in a cgroup of this test
		if err != nil {
			return err
		}
	}
	return nil
}

// removeCgroups removes a cgroup and its descendants, which have no processes.
func removeCgroups(name string) error {
	mounts, err := hierarchies()
	if err != nil {
		return err
	}
	for _, mount := range mounts {
		var dirs []string
		err = errors.Join(err, filepath.WalkDir(filepath.Join(mount, name), func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() {
				dirs = append(dirs, path)
			}
			return err
		}))
		for _, dir := range slices.Backward(dirs) {
			err = errors.Join(err, removeIdle(dir))
		}
	}
	return err
}

// removeIdle removes a cgroup. It is busy for a moment after its last process has ended.
func removeIdle(dir string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		err := os.Remove(dir)
		if !errors.Is(err, syscall.EBUSY) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-tick.C:
		}
	}
}
