//go:build linux

package isolation

import (
	"fmt"
	"os"
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

func mount(source, target, kind string, flags uintptr) error {
	if err := syscall.Mount(source, target, kind, flags, ""); err != nil {
		return fmt.Errorf("mount %s: %w", target, err)
	}
	return nil
}
