//go:build linux

package isolation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
)

// hidden are the directories of the machine that the programs write to. The tests have empty ones
// in their place.
var hidden = []string{"/run", "/var/lib", "/var/log"}

// isolateMounts has no mount reach the machine. kubelet shares the mounts of Pods with containers, so
// they are shared within the namespace.
func isolateMounts(dir string) error {
	for _, propagation := range []uintptr{syscall.MS_PRIVATE, syscall.MS_SHARED} {
		if err := mount("", "/", "", syscall.MS_REC|propagation); err != nil {
			return err
		}
	}
	if err := mount("proc", "/proc", "proc", 0); err != nil {
		return err
	}
	for _, path := range hidden {
		own := filepath.Join(dir, filepath.Base(path))
		if err := os.MkdirAll(own, 0o755); err != nil { //nolint:gosec // containers enter it
			return err
		}
		if err := mount(own, path, "", syscall.MS_BIND); err != nil {
			return err
		}
	}
	if err := errors.Join(os.MkdirAll(Logs(), 0o700), os.Mkdir(nodeMounts, 0o700)); err != nil {
		return err
	}
	// The file of a namespace cannot be on a shared mount.
	return errors.Join(mount(nodeMounts, nodeMounts, "", syscall.MS_BIND), mount("", nodeMounts, "", syscall.MS_PRIVATE))
}

// nodeMounts has a file for the mount namespace of each node.
const nodeMounts = "/run/nodes"

// NodeMounts creates the mount namespace of a node, where dir is the directory of kubelet: manifests name its usual path. It
// returns the command that runs a program there.
func NodeMounts(n int, dir string) ([]string, error) {
	file := filepath.Join(nodeMounts, strconv.Itoa(n))
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		return nil, err
	}
	const prepare = `mkdir -p /var/lib/kubelet && mount --bind "$0" /var/lib/kubelet && mount --make-rshared /`
	cmd := exec.CommandContext(context.Background(), "unshare", "--mount="+file, "--propagation=private", "sh", "-ec", prepare, dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("create the mounts of node %d: %w: %s", n, err, out)
	}
	return []string{"nsenter", "--mount=" + file}, nil
}

func mount(source, target, kind string, flags uintptr) error {
	if err := syscall.Mount(source, target, kind, flags, ""); err != nil {
		return fmt.Errorf("mount %s: %w", target, err)
	}
	return nil
}
