package seam

import (
	"bytes"
	"encoding/json"
	"slices"
	"sync"
)

// maxTombstones is how many deletions are remembered, the latest.
const maxTombstones = 4096

// Tombstones remember at which revision of etcd objects were deleted, as watches have
// told of it. The API server can be asked what there was at a revision, but not when
// something ceased to be. It is safe for concurrent use; a nil one knows of none.
type Tombstones struct {
	mu    sync.Mutex
	known map[tombstone]bool
	all   []tombstone // in the order in which they were told
}

// tombstone is the end of an object, or of its being selected by a watch.
type tombstone struct {
	location

	revision uint64
}

// location is where an object is, or, without a name, a collection; without a
// namespace, too, the collection of all namespaces.
type location struct{ group, resource, namespace, name string }

// has reports whether another location is in this one.
func (p location) has(other location) bool {
	return p.group == other.group && p.resource == other.resource &&
		(p.namespace == "" || p.namespace == other.namespace) && (p.name == "" || p.name == other.name)
}

// NewTombstones returns memory that is empty.
func NewTombstones() *Tombstones { return &Tombstones{known: map[tombstone]bool{}} }

func (d *Tombstones) add(one tombstone) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known[one] {
		return
	}
	if len(d.all) == maxTombstones {
		for _, old := range d.all[:maxTombstones/2] {
			delete(d.known, old)
		}
		d.all = slices.Delete(d.all, 0, maxTombstones/2)
	}
	d.known[one] = true
	d.all = append(d.all, one)
}

// last returns the latest death at a place before a revision; the zero value if
// none is known.
func (d *Tombstones) last(at location, before uint64) (latest tombstone) {
	if d == nil {
		return tombstone{}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, one := range d.all {
		if one.revision < before && one.revision > latest.revision && at.has(one.location) {
			latest = one
		}
	}
	return latest
}

// deletedPrefix is how the line of an event begins that tells of one.
var deletedPrefix = []byte(`{"type":"DELETED"`)

// observe takes note of an event of a watch, if it tells of a death.
func (d *Tombstones) observe(of location, line []byte) {
	if d == nil || !bytes.HasPrefix(line, deletedPrefix) {
		return
	}
	var event struct {
		Object versioned `json:"object"`
	}
	if json.Unmarshal(line, &event) != nil || event.Object.revision() == 0 {
		return
	}
	of.namespace, of.name = event.Object.Metadata.Namespace, event.Object.Metadata.Name
	d.add(tombstone{of, event.Object.revision()})
}
