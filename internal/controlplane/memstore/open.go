package memstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cosi-emu/cosi-emu/internal/atomicfile"
)

// SnapshotFile is the name of a saved snapshot in the directory of a store.
const SnapshotFile = "objects.jsonl"

// unflushed is more than the writes of flushInterval.
const unflushed = 100_000

// Open returns a store that keeps its objects in a directory. It restores all answered writes of the previous store in
// that directory, even if its process was killed. A power failure can lose the writes of the last second; their
// resource versions are not reused. The directory must exist, and no other store may use it. After Close, writes fail.
func Open(dir string, options Options) (*Store, error) {
	snapshot, err := openSnapshot(dir)
	if err != nil {
		return nil, fmt.Errorf("read the objects of the API server: %w", err)
	}
	store := New(options)
	if store.log, err = openLog(dir, snapshot.revision); err != nil {
		return nil, fmt.Errorf("keep the objects of the API server: %w", err)
	}
	store.Restore(snapshot)
	store.log.running.Go(store.maintainLog)
	return store, nil
}

// Reopen forgets what is in memory, and reads the directory as Open does after the process was killed. All watches end
// with 410 Gone. A store without a directory keeps its objects. After an error, nothing can be written, and reads return
// the objects of before.
func (s *Store) Reopen() error {
	if s.log == nil {
		return nil
	}
	s.log.folding.Lock()
	defer s.log.folding.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.log.err != nil {
		return s.log.err
	}
	_ = s.log.file.Close() // all that was answered is in it
	snapshot, err := openSnapshot(s.log.dir)
	if err == nil {
		err = s.log.open(snapshot.revision)
	}
	if err != nil {
		return s.log.fail(err)
	}
	s.restore(snapshot)
	return nil
}

// openSnapshot returns the state in a directory, and leaves it there as a snapshot.
func openSnapshot(dir string) (*Snapshot, error) {
	snapshot, err := readSnapshot(filepath.Join(dir, SnapshotFile))
	if err != nil {
		return nil, err
	}
	names, err := logNames(dir)
	if err != nil {
		return nil, err
	}
	writes := 0
	for _, name := range names {
		n, err := snapshot.replay(name)
		if err != nil {
			return nil, err
		}
		writes += n
	}
	if writes > 0 {
		// The process did not close the store. After a power failure, clients know the versions of writes that are lost.
		snapshot.Bump(unflushed)
		if err := snapshot.saveIn(dir); err != nil {
			return nil, err
		}
	}
	return snapshot, removeAll(names)
}

func readSnapshot(name string) (*Snapshot, error) {
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return newSnapshot(firstRevision), nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // only read from
	snapshot, err := LoadSnapshot(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return snapshot, nil
}

// saveIn replaces the snapshot in a directory.
func (s *Snapshot) saveIn(dir string) error {
	return atomicfile.Replace(filepath.Join(dir, SnapshotFile), 0o600, s.Save)
}

func removeAll(names []string) error {
	var errs []error
	for _, name := range names {
		errs = append(errs, os.Remove(name))
	}
	return errors.Join(errs...)
}
