package memstore

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apiserver/pkg/storage"
	"k8s.io/utils/clock"
	"k8s.io/utils/third_party/forked/golang/btree"
)

const (
	// firstRevision is the resource version of an empty store, as in etcd.
	firstRevision = 1
	// The API server's own cache has the same treeDegree.
	treeDegree = 16
)

// Options are how a Store behaves. The zero value is right for an API server.
type Options struct {
	// Clock is the source of time for objects that expire and for bookmarks. It
	// defaults to the real one.
	Clock clock.Clock
	// HistoryEvents is how many events each resource keeps at most. It defaults to
	// 10000.
	HistoryEvents int
	// HistoryBytes is the size of the objects in the events that each resource keeps at
	// most. It defaults to 32 MiB.
	HistoryBytes int
	// BookmarkInterval is how often a watch gets a bookmark that allows them. It defaults
	// to one minute, as in the API server.
	BookmarkInterval time.Duration
	// ProgressInterval is how often a watch gets a bookmark that asked for progress
	// notification. It defaults to 5 seconds.
	ProgressInterval time.Duration
	// LogBytes is the size of the log in a directory at which the store saves a snapshot in
	// its place. It defaults to 16 MiB.
	LogBytes int64
	// DetectMutations compares each decoded object with its record when the object is
	// dropped, and panics if a reader changed it. It is for tests, because it decodes
	// everything once more.
	DetectMutations bool
}

func (o *Options) setDefaults() {
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	if o.HistoryEvents == 0 {
		o.HistoryEvents = 10_000
	}
	if o.HistoryBytes == 0 {
		o.HistoryBytes = 32 << 20
	}
	if o.BookmarkInterval == 0 {
		o.BookmarkInterval = time.Minute
	}
	if o.ProgressInterval == 0 {
		o.ProgressInterval = 5 * time.Second
	}
	if o.LogBytes == 0 {
		o.LogBytes = 16 << 20
	}
}

// Store holds the objects of all resources of an API server. It is safe for concurrent
// use.
type Store struct {
	options Options
	log     *writeLog // nil if the objects are not kept

	mu        sync.RWMutex
	revision  int64                       // of the latest write
	records   *btree.BTree[*record]       // the present state, by key
	histories map[string]*history         // by the prefix of a resource's keys
	open      map[*resourceStore]struct{} // those that are not destroyed
	expiry    expiries
	restored  int64 // the revision of the snapshot that was restored: nothing before it is known
	closed    bool
}

// New returns an empty store, whose objects are in memory only. It must be closed.
func New(options Options) *Store {
	options.setDefaults()
	s := &Store{
		options:   options,
		revision:  firstRevision,
		records:   newTree(),
		histories: map[string]*history{},
		open:      map[*resourceStore]struct{}{},
	}
	s.expiry.clear()
	s.expiry.changed = make(chan struct{}, 1)
	return s
}

func newTree() *btree.BTree[*record] {
	return btree.New(treeDegree, func(a, b *record) bool { return a.key < b.key })
}

// Close ends all watches, and objects do not expire any more. Reads go on working, and
// writes if the store has no directory.
func (s *Store) Close() {
	for _, r := range s.close() {
		r.destroy()
	}
	s.expiry.running.Wait()
	s.closeLog()
	if s.options.DetectMutations {
		s.checkMutations()
	}
}

// close marks the store as closed, and returns the resource stores to destroy.
func (s *Store) close() []*resourceStore {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	s.expiry.clear()
	if s.expiry.stop != nil {
		close(s.expiry.stop)
	}
	return slices.Collect(maps.Keys(s.open))
}

// ReadinessCheck is nil until the store is closed.
func (s *Store) ReadinessCheck() error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return storage.ErrStorageNotReady
	}
	return nil
}

// Revision is the resource version of the latest write.
func (s *Store) Revision() int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.revision
}

// Compact drops all events up to a revision. Watches that start before it and lists at
// an older one end with 410 Gone from then on.
func (s *Store) Compact(revision int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if revision > s.revision {
		return fmt.Errorf("compact to revision %d: the store is at revision %d", revision, s.revision)
	}
	for _, h := range s.histories {
		h.compact(revision)
	}
	return nil
}

// historyOf returns the history of the resource whose keys have a prefix. The caller
// holds the lock for writing.
func (s *Store) historyOf(prefix string) *history {
	h, ok := s.histories[prefix]
	if !ok {
		h = &history{options: &s.options, watchers: map[*watcher]struct{}{}, dropped: s.restored, compacted: s.restored}
		s.histories[prefix] = h
	}
	return h
}

// get returns the record under a key, or nil, and the revision of the store at that
// moment.
func (s *Store) get(key string) (rec *record, revision int64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.lookup(key), s.revision
}

// lookup returns the record under a key, or nil. The caller holds the lock.
func (s *Store) lookup(key string) *record {
	rec, ok := s.records.Get(&record{key: key})
	if !ok {
		return nil
	}
	return rec
}

// put stores a record if the one under its key is still the expected one; nil expects
// none. It tells the record its revision by stamp, before anybody else can read it.
func (s *Store) put(h *history, rec, expected *record, ttl uint64, stamp func(revision int64) error) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lookup(rec.key) != expected {
		return false, nil
	}
	if err := stamp(s.revision + 1); err != nil {
		return false, err
	}
	if err := s.keep(logEntry{Revision: s.revision + 1, Key: rec.key, Data: rec.data, TTL: ttl}); err != nil {
		return false, err
	}
	s.revision++
	s.records.ReplaceOrInsert(rec)
	s.replaceExpiry(expected, rec, ttl)
	h.append(&event{revision: s.revision, key: rec.key, current: rec, previous: expected})
	return true, nil
}

// remove deletes a record if it is still the one under its key, and returns the revision
// of the deletion.
func (s *Store) remove(h *history, expected *record) (revision int64, ok bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lookup(expected.key) != expected {
		return 0, false, nil
	}
	err = s.removeLocked(h, expected)
	return s.revision, err == nil, err
}

func (s *Store) removeLocked(h *history, rec *record) error {
	if err := s.keep(logEntry{Revision: s.revision + 1, Key: rec.key}); err != nil {
		return err
	}
	s.revision++
	s.records.Delete(rec)
	s.replaceExpiry(rec, nil, 0)
	h.append(&event{revision: s.revision, key: rec.key, previous: rec})
	return nil
}

// ascend calls visit with the records of a range in the order of their keys, until it
// returns false. The caller holds the lock.
func (s *Store) ascend(r keyRange, visit func(*record) bool) {
	s.records.AscendGreaterOrEqual(&record{key: r.start}, func(rec *record) bool {
		return r.contains(rec.key) && visit(rec)
	})
}

// keyRange is the key itself, or all keys with a prefix that are not before start.
type keyRange struct {
	key       string
	recursive bool
	start     string
}

func newKeyRange(key string, recursive bool, start string) keyRange {
	if start == "" {
		start = key
	}
	return keyRange{key: key, recursive: recursive, start: start}
}

func (r keyRange) contains(key string) bool {
	if !r.recursive {
		return key == r.key
	}
	return strings.HasPrefix(key, r.key) && key >= r.start
}
