package memstore

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/cosi-emu/cosi-emu/internal/atomicfile"
)

var errClosed = errors.New("the store is closed")

// flushInterval is how often a log that has grown is flushed to the disk.
const flushInterval = time.Second

// writeLog is the writes since the last snapshot of a store, in a directory. A log is a file whose name has the
// revision before its first write, and which has one write a line. The lock of the store protects it.
//
// The store writes to the file before readers and watches see the change, so that a killed process loses no write. It
// answers before the disk is flushed: a flush for each write would cost a client two thirds of its writes/s. A power
// failure can lose the writes of the last second.
type writeLog struct {
	dir  string
	file *os.File
	size int64
	err  error // no write is possible any more

	folding sync.Mutex    // held while the snapshot in the directory is replaced; locked before the lock of the store
	full    chan struct{} // holds one: a snapshot should take the place of the log
	stop    chan struct{}
	running sync.WaitGroup
	once    sync.Once
}

// logEntry is one line of a log: a record, or the deletion of one.
type logEntry struct {
	Revision int64  `json:"revision"`
	Key      string `json:"key"`
	Data     []byte `json:"data,omitempty"` // none of a deletion
	TTL      uint64 `json:"ttl,omitempty"`  // seconds; 0 if the record does not expire
}

// openLog starts a log after a revision.
func openLog(dir string, revision int64) (*writeLog, error) {
	l := &writeLog{dir: dir, full: make(chan struct{}, 1), stop: make(chan struct{})}
	if err := l.open(revision); err != nil {
		return nil, err
	}
	return l, nil
}

func (l *writeLog) open(revision int64) error {
	file, err := os.OpenFile(logName(l.dir, revision), os.O_CREATE|os.O_TRUNC|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	l.file, l.size = file, 0
	return atomicfile.SyncDir(l.dir)
}

func logName(dir string, revision int64) string {
	return filepath.Join(dir, fmt.Sprintf("objects-%020d.log", revision))
}

// logNames returns the logs of a directory, the oldest first.
func logNames(dir string) ([]string, error) {
	names, err := filepath.Glob(filepath.Join(dir, "objects-*.log"))
	slices.Sort(names)
	return names, err
}

// append writes an entry into the file. After an error, the file is as before.
func (l *writeLog) append(entry logEntry) error {
	if l.err != nil {
		return l.err
	}
	line, err := json.Marshal(entry)
	if err != nil {
		return err
	}
	n, err := l.file.Write(append(line, '\n'))
	if err != nil {
		if truncated := l.file.Truncate(l.size); truncated != nil {
			return l.fail(truncated)
		}
		return fmt.Errorf("keep the objects of the API server: %w", err)
	}
	l.size += int64(n)
	return nil
}

// fail ends all writes.
func (l *writeLog) fail(err error) error {
	l.err = fmt.Errorf("keep the objects of the API server: %w: nothing can be written until cosi-emu is started again", err)
	return l.err
}

// rotate ends the file, and begins another one after a revision.
func (l *writeLog) rotate(revision int64) error {
	if l.err != nil {
		return l.err
	}
	before := l.file
	if err := l.open(revision); err != nil {
		return l.fail(err)
	}
	return before.Close()
}

// keep logs a write before it has an effect, if the store has a directory. The caller holds
// the lock for writing.
func (s *Store) keep(entry logEntry) error {
	if s.log == nil {
		return nil
	}
	if s.log.size >= s.options.LogBytes {
		select {
		case s.log.full <- struct{}{}:
		default: // it is known
		}
	}
	return s.log.append(entry)
}

// maintainLog flushes the log, and puts a snapshot in its place when it is full, until the store is closed.
func (s *Store) maintainLog() {
	tick := time.NewTicker(flushInterval)
	defer tick.Stop()
	flushed := s.Revision()
	for {
		select {
		case <-s.log.stop:
			return
		case <-s.log.full:
			_ = s.fold() // the logs stay, and another one becomes full
		case <-tick.C:
			if now := s.Revision(); now != flushed && s.flush() == nil {
				flushed = now
			}
		}
	}
}

func (s *Store) flush() error {
	s.mu.RLock()
	file := s.log.file
	s.mu.RUnlock()
	return file.Sync()
}

// fold saves a snapshot in the place of the logs so far. If it fails, the logs stay, and have all.
func (s *Store) fold() error {
	s.log.folding.Lock()
	defer s.log.folding.Unlock()
	snapshot, before, err := s.beginFold()
	if err != nil || snapshot == nil {
		return err
	}
	if err := snapshot.saveIn(s.log.dir); err != nil {
		return err
	}
	return removeAll(before)
}

// beginFold returns the present state and the logs that it can replace, or nil if there is no write in them.
func (s *Store) beginFold() (snapshot *Snapshot, before []string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.log.size == 0 {
		return nil, nil, nil
	}
	if before, err = logNames(s.log.dir); err != nil {
		return nil, nil, err
	}
	snapshot = s.snapshot()
	return snapshot, before, s.log.rotate(snapshot.revision)
}

// closeLog ends the writes to a store with a directory, and leaves a snapshot there.
func (s *Store) closeLog() {
	if s.log == nil {
		return
	}
	s.log.once.Do(func() {
		close(s.log.stop)
		s.log.running.Wait()
		_ = s.fold() // otherwise, the logs have all
		s.mu.Lock()
		defer s.mu.Unlock()
		_ = s.log.fail(errClosed)
		_ = s.log.file.Close() // all that was answered is in it
	})
}
