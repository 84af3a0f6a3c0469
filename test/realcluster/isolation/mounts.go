//go:build linux

package isolation

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
	return os.MkdirAll(Logs(), 0o700)
}

// NodeMounts creates the mounts of a node, where dir is the directory of kubelet: manifests name its usual path. It returns the
// command that runs a program there. A process keeps the mounts until the namespaces of the tests end.
func NodeMounts(dir string) ([]string, error) {
	const prepare = `mkdir -p /var/lib/kubelet; mount --bind "$0" /var/lib/kubelet; mount --make-rshared /; echo ready; exec sleep infinity`
	keeper := exec.CommandContext(context.Background(), "unshare", "--mount", "--propagation=private", "sh", "-ec", prepare, dir)
	keeper.Stderr = os.Stderr
	output, err := keeper.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := keeper.Start(); err != nil {
		return nil, err
	}
	if ready, err := bufio.NewReader(output).ReadString('\n'); err != nil {
		return nil, fmt.Errorf("the mounts of a node are not ready: %q, %w, %w", ready, err, keeper.Wait())
	}
	return []string{"nsenter", fmt.Sprintf("--mount=/proc/%d/ns/mnt", keeper.Process.Pid)}, nil
}

func mount(source, target, kind string, flags uintptr) error {
	if err := syscall.Mount(source, target, kind, flags, ""); err != nil {
		return fmt.Errorf("mount %s: %w", target, err)
	}
	return nil
}
