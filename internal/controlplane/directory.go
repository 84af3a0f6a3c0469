package controlplane

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// Claim locks a directory for one control plane, and creates a missing one. Unless the data is
// kept, it must be empty. The lock ends with the process.
func Claim(dir string, keep bool) (*flock.Flock, error) {
	if err := checkEmpty(dir, keep); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the control plane's directory: %w", err)
	}
	return Lock(dir)
}

// Lock locks an existing directory.
func Lock(dir string) (*flock.Flock, error) {
	lock := flock.New(filepath.Join(dir, "lock"))
	locked, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock the control plane's directory: %w", err)
	}
	if !locked {
		return nil, fmt.Errorf("%s: %w; stop it, or use another directory", dir, ErrDirInUse)
	}
	return lock, nil
}

func checkEmpty(dir string, keep bool) error {
	if keep {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("read the control plane's directory: %w", err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s: %w; empty it, or use another directory", dir, ErrDirNotEmpty)
	}
	return nil
}
