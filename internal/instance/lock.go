package instance

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// errLocked: another process holds the lock.
var errLocked = errors.New("locked by another process")

type lock struct{ file *flock.Flock }

// takeLock locks a file, which it creates, or returns errLocked. Release deletes the file. A
// process that has opened it just before gets the lock of a deleted file, detects this, and tries
// again.
func takeLock(path string) (*lock, error) {
	for {
		file := flock.New(path, flock.SetPermissions(fileMode))
		err := tryLock(file)
		if err != nil {
			return nil, err
		}
		if isCurrent(file, path) {
			return &lock{file}, nil
		}
		if err := file.Unlock(); err != nil {
			return nil, err
		}
	}
}

// tryLock retries for a moment, because isLocked holds the lock briefly.
func tryLock(file *flock.Flock) error {
	const patience, interval = 200 * time.Millisecond, 5 * time.Millisecond
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, err := file.TryLockContext(ctx, interval)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return errLocked
	case err != nil:
		return fmt.Errorf("lock %s: %w", file.Path(), err)
	}
	return nil
}

func isCurrent(file *flock.Flock, path string) bool {
	locked, err := file.Stat()
	if err != nil {
		return false
	}
	current, err := os.Stat(path)
	return err == nil && os.SameFile(locked, current)
}

func (l *lock) release() error {
	return errors.Join(os.Remove(l.file.Path()), l.file.Unlock())
}

// isLocked reports whether a process holds the lock of a file.
func isLocked(path string) (bool, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	// The lock is shared, so that two callers do not detect each other.
	file := flock.New(path, flock.SetFlag(os.O_RDONLY))
	free, err := file.TryRLock()
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", path, err)
	}
	return !free, file.Unlock()
}

// DataDir is a locked directory for data that survives a restart.
type DataDir struct {
	path string
	lock *lock
}

// LockDataDir creates the directory, if it is missing, and locks it. The error is
// ErrInUse if another emulator uses it.
func LockDataDir(path string) (*DataDir, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(path, dirMode); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	l, err := takeLock(filepath.Join(path, "lock"))
	if errors.Is(err, errLocked) {
		return nil, fmt.Errorf("data directory %s: %w by another emulator: stop that one, or choose another directory", path, ErrInUse)
	}
	if err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	return &DataDir{path: path, lock: l}, nil
}

// Path is the absolute path of the directory.
func (d *DataDir) Path() string { return d.path }

// Release unlocks the directory. It keeps the contents.
func (d *DataDir) Release() error { return d.lock.release() }

// WaitStopped waits until no emulator of that name runs, or ctx is done.
func WaitStopped(ctx context.Context, name string) error {
	root, err := Root()
	if err != nil {
		return err
	}
	const interval = 20 * time.Millisecond
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		held, err := isLocked(lockFile(root, name))
		if err != nil || !held {
			return err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("wait for emulator %q to stop: %w", name, context.Cause(ctx))
		}
	}
}
