// Package volume has the volumes on the disk of a node: their directories, and the records with which the node adapter
// finds them again after a crash.
package volume

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// dirMode lets the processes of a Pod find the files, whose own modes protect them.
const dirMode = 0o755

// MediumKind is where the files of volumes are.
type MediumKind string

const (
	// Memory is a file system in memory, of its own for each volume.
	Memory MediumKind = "memory"
	// Disk is the file system of the target directory.
	Disk MediumKind = "disk"
)

// ErrMedium is the error of a medium that cannot be used.
var ErrMedium = errors.New("medium cannot be used")

// DefaultMedium returns Memory if this process may mount file systems, and otherwise Disk.
func DefaultMedium() MediumKind {
	if checkMemory() == nil {
		return Memory
	}
	return Disk
}

// Medium makes and removes the directories of volumes. Its methods can be repeated after a crash.
type Medium interface {
	// Create makes an empty directory, or leaves the one of an earlier call.
	Create(dir string) error
	// IsCreated reports whether the directory has what Create makes.
	IsCreated(dir string) (bool, error)
	// Remove removes the directory with its files. A directory that does not exist is no error.
	Remove(dir string) error
}

// NewMedium returns the medium of a kind. The error wraps ErrMedium.
func NewMedium(kind MediumKind) (Medium, error) {
	switch kind {
	case Memory:
		if err := checkMemory(); err != nil {
			return nil, fmt.Errorf("%w: %s: %w; use %s", ErrMedium, Memory, err, Disk)
		}
		return memory{}, nil
	case Disk:
		return disk{}, nil
	default:
		return nil, fmt.Errorf("%w: %q: it must be %s or %s", ErrMedium, string(kind), Memory, Disk)
	}
}

type disk struct{}

func (disk) Create(dir string) error {
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return err
	}
	return os.Chmod(dir, dirMode)
}

func (disk) IsCreated(dir string) (bool, error) {
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && info.IsDir(), err
}

// Remove also unmounts what a node adapter with the medium Memory has mounted.
func (disk) Remove(dir string) error {
	if err := unmount(dir); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

type memory struct{ disk }

func (m memory) Create(dir string) error {
	mounted, err := isMounted(dir)
	if err != nil || mounted {
		return err
	}
	if err := m.disk.Create(dir); err != nil {
		return err
	}
	return mount(dir)
}

func (memory) IsCreated(dir string) (bool, error) { return isMounted(dir) }
