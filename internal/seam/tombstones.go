package seam

import (
	"bytes"
	"encoding/json"
	"slices"
	"sync"
)

// maxTombstones is the number of remembered deletions.
const maxTombstones = 4096

// Tombstones record the etcd revisions of deletions, as seen by watches. The API server can return
// the state at a revision, but not the revision of a deletion. It is safe for concurrent use; nil
// has no deletions.
type Tombstones struct {
	mu    sync.Mutex
	known map[tombstone]bool
	all   []tombstone // in the order of the watch events
}

// tombstone is the deletion of an object, or a change after which a watch no longer selects it.
type tombstone struct {
	location

	revision uint64
}

// location identifies an object; without a name, the collection of a namespace; without a
// namespace, the collection of all namespaces.
type location struct{ group, resource, namespace, name string }

func (p location) has(other location) bool {
	return p.group == other.group && p.resource == other.resource &&
		(p.namespace == "" || p.namespace == other.namespace) && (p.name == "" || p.name == other.name)
}

// NewTombstones returns an empty Tombstones.
func NewTombstones() *Tombstones { return &Tombstones{known: map[tombstone]bool{}} }

func (t *Tombstones) add(one tombstone) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known[one] {
		return
	}
	if len(t.all) == maxTombstones {
		for _, old := range t.all[:maxTombstones/2] {
			delete(t.known, old)
		}
		t.all = slices.Delete(t.all, 0, maxTombstones/2)
	}
	t.known[one] = true
	t.all = append(t.all, one)
}

// last returns the latest deletion in a location before a revision, or the zero value.
func (t *Tombstones) last(at location, before uint64) (latest tombstone) {
	if t == nil {
		return tombstone{}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, one := range t.all {
		if one.revision < before && one.revision > latest.revision && at.has(one.location) {
			latest = one
		}
	}
	return latest
}

// deletedPrefix is the start of a line with a deletion.
var deletedPrefix = []byte(`{"type":"DELETED"`)

// observe records a watch event, if it is a deletion.
func (t *Tombstones) observe(of location, line []byte) {
	if t == nil || !bytes.HasPrefix(line, deletedPrefix) {
		return
	}
	var event struct {
		Object versioned `json:"object"`
	}
	if json.Unmarshal(line, &event) != nil || event.Object.revision() == 0 {
		return
	}
	of.namespace, of.name = event.Object.Metadata.Namespace, event.Object.Metadata.Name
	t.add(tombstone{of, event.Object.revision()})
}
