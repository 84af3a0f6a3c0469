package volume

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// mountOptions limit the memory of a volume, whose files have some KiB.
const mountOptions = "mode=0755,size=64m"

func checkMemory() error {
	if os.Geteuid() != 0 {
		return errors.New("only root can mount file systems")
	}
	return nil
}

func mount(dir string) error {
	const flags = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	if err := unix.Mount("tmpfs", dir, "tmpfs", flags, mountOptions); err != nil {
		return fmt.Errorf("mount a tmpfs at %s: %w", dir, err)
	}
	return nil
}

// isMounted reports whether a tmpfs is mounted at a directory.
func isMounted(dir string) (bool, error) {
	var own, parent unix.Stat_t
	err := unix.Lstat(dir, &own)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		err = unix.Stat(filepath.Dir(dir), &parent)
	}
	var system unix.Statfs_t
	if err == nil {
		err = unix.Statfs(dir, &system)
	}
	if err != nil {
		return false, fmt.Errorf("look for a file system at %s: %w", dir, err)
	}
	return own.Dev != parent.Dev && own.Mode&unix.S_IFMT == unix.S_IFDIR && system.Type == unix.TMPFS_MAGIC, nil
}

// unmount unmounts every tmpfs at a directory: after a crash of another program there may be two.
func unmount(dir string) error {
	for {
		mounted, err := isMounted(dir)
		if err != nil || !mounted {
			return err
		}
		if err := unix.Unmount(dir, unix.UMOUNT_NOFOLLOW); err != nil {
			return fmt.Errorf("unmount %s: %w", dir, err)
		}
	}
}
