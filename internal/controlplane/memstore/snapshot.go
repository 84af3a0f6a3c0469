package memstore

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"k8s.io/utils/third_party/forked/golang/btree"
)

// snapshotFormat names the format of saved snapshots. Another format gets another name.
const snapshotFormat = "cosi-emu.memstore/v1"

// Snapshot is the state of a store at a revision. It never changes, and it shares the
// objects with the store, so that taking one and restoring it costs next to nothing. It
// has no history.
type Snapshot struct {
	revision int64
	expiry   map[*record]time.Duration // how long records that expire have left

	mu      sync.Mutex // Clone changes the tree
	records *btree.BTree[*record]
}

// snapshotHeader is the first line of a saved snapshot.
type snapshotHeader struct {
	Format   string `json:"format"`
	Revision int64  `json:"revision"`
	Objects  int    `json:"objects"`
}

// snapshotObject is each other line of a saved snapshot.
type snapshotObject struct {
	Key      string        `json:"key"`
	Revision int64         `json:"revision"`
	Data     []byte        `json:"data"`
	Left     time.Duration `json:"left,omitempty"` // 0 if the object does not expire
}

// Revision is the resource version of the snapshot.
func (s *Snapshot) Revision() int64 {
	return s.revision
}

// Bump raises the revision of a snapshot that was just loaded, as etcdutl's
// --bump-revision does. If writes after the snapshot were lost, clients may know their
// resource versions: by as much as more than could be lost, none of them is given to
// another write, and those clients are told 410 Gone.
func (s *Snapshot) Bump(by int64) {
	s.revision += by
}

func newSnapshot(revision int64) *Snapshot {
	return &Snapshot{revision: revision, records: newTree(), expiry: map[*record]time.Duration{}}
}

// Snapshot returns the present state.
func (s *Store) Snapshot() *Snapshot {
	s.mu.Lock() // for writing: Clone changes both trees
	defer s.mu.Unlock()
	return s.snapshot()
}

// snapshot is Snapshot for a caller that holds the lock for writing.
func (s *Store) snapshot() *Snapshot {
	snapshot := &Snapshot{revision: s.revision, records: s.records.Clone(), expiry: map[*record]time.Duration{}}
	now := s.options.Clock.Now()
	for rec, e := range s.expiry.byRecord {
		snapshot.expiry[rec] = max(e.when.Sub(now), 1)
	}
	return snapshot
}

// Restore makes a snapshot the present state: objects keep their UIDs and resource
// versions, and the store goes on from the snapshot's. The history is gone, so that all
// watches end with 410 Gone. It is for a store whose clients start anew: to those that
// know a later resource version, time would run backwards. A store with a directory has its
// own state.
func (s *Store) Restore(snapshot *Snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.restore(snapshot)
}

// restore is Restore for a caller that holds the lock for writing.
func (s *Store) restore(snapshot *Snapshot) {
	s.revision, s.restored = snapshot.revision, snapshot.revision
	s.records = snapshot.clone()
	s.expiry.clear()
	now := s.options.Clock.Now()
	for rec, left := range snapshot.expiry {
		s.expireAt(rec, now.Add(left))
	}
	for _, h := range s.histories {
		h.restart(snapshot.revision)
	}
	for r := range s.open {
		r.opened = snapshot.revision
	}
}

// Save writes the present state, one object a line.
func (s *Store) Save(w io.Writer) error {
	return s.Snapshot().Save(w)
}

// Load restores a state that was saved.
func (s *Store) Load(r io.Reader) error {
	snapshot, err := LoadSnapshot(r)
	if err != nil {
		return err
	}
	s.Restore(snapshot)
	return nil
}

// Save writes the snapshot, one object a line.
func (s *Snapshot) Save(w io.Writer) error {
	buffered := bufio.NewWriter(w)
	out := json.NewEncoder(buffered)
	records := s.clone() // others may restore the snapshot meanwhile
	err := out.Encode(snapshotHeader{Format: snapshotFormat, Revision: s.revision, Objects: records.Len()})
	records.Ascend(func(rec *record) bool {
		if err == nil {
			err = out.Encode(snapshotObject{Key: rec.key, Revision: rec.revision, Data: rec.data, Left: s.expiry[rec]})
		}
		return err == nil
	})
	if err = errors.Join(err, buffered.Flush()); err != nil {
		return fmt.Errorf("save the objects of the API server: %w", err)
	}
	return nil
}

// LoadSnapshot reads what Save has written.
func LoadSnapshot(r io.Reader) (*Snapshot, error) {
	in := json.NewDecoder(r)
	var header snapshotHeader
	if err := in.Decode(&header); err != nil {
		return nil, fmt.Errorf("load the objects of the API server: header: %w", err)
	}
	if header.Format != snapshotFormat {
		return nil, fmt.Errorf("load the objects of the API server: the format is %q, and must be %q: "+
			"load it with the version of cosi-emu that saved it", header.Format, snapshotFormat)
	}
	if header.Revision < firstRevision {
		return nil, fmt.Errorf("load the objects of the API server: revision %d must be at least %d", header.Revision, firstRevision)
	}
	snapshot := newSnapshot(header.Revision)
	for i := range header.Objects {
		if err := snapshot.loadObject(in); err != nil {
			return nil, fmt.Errorf("load the objects of the API server: object %d of %d: %w", i+1, header.Objects, err)
		}
	}
	return snapshot, nil
}

func (s *Snapshot) loadObject(in *json.Decoder) error {
	var object snapshotObject
	if err := in.Decode(&object); err != nil {
		return err
	}
	if object.Key == "" || object.Revision <= 0 || object.Revision > s.revision {
		return fmt.Errorf("key %q at revision %d: the key must not be empty, and the revision from 1 to %d",
			object.Key, object.Revision, s.revision)
	}
	rec := &record{key: object.Key, revision: object.Revision, data: object.Data}
	if _, exists := s.records.ReplaceOrInsert(rec); exists {
		return fmt.Errorf("key %q: it is there twice", object.Key)
	}
	if object.Left > 0 {
		s.expiry[rec] = object.Left
	}
	return nil
}

// clone returns the records for a store that will change them.
func (s *Snapshot) clone() *btree.BTree[*record] {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.records.Clone()
}
