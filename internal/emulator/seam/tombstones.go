package seam

import (
	"bytes"
	"encoding/json"
	"slices"
	"sync"
)

// maxDeaths is how many deletions are remembered, the latest.
const maxDeaths = 4096

// Deaths remember at which revision of etcd objects were deleted, as watches have
// told of it. The API server can be asked what there was at a revision, but not when
// something ceased to be. It is safe for concurrent use; a nil one knows of none.
type Deaths struct {
	mu    sync.Mutex
	known map[death]bool
	all   []death // in the order in which they were told
}

// death is the end of an object, or of its being selected by a watch.
type death struct {
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

// NewDeaths returns memory that is empty.
func NewDeaths() *Deaths { return &Deaths{known: map[death]bool{}} }

func (d *Deaths) add(one death) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known[one] {
		return
	}
	if len(d.all) == maxDeaths {
		for _, old := range d.all[:maxDeaths/2] {
			delete(d.known, old)
		}
		d.all = slices.Delete(d.all, 0, maxDeaths/2)
	}
	d.known[one] = true
	d.all = append(d.all, one)
}

// last returns the latest death at a place before a revision; the zero value if
// none is known.
func (d *Deaths) last(at location, before uint64) (latest death) {
	if d == nil {
		return death{}
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

// deletion is how the line of an event begins that tells of one.
var deletion = []byte(`{"type":"DELETED"`)

// hear takes note of an event of a watch, if it tells of a death.
func (d *Deaths) hear(of location, line []byte) {
	if d == nil || !bytes.HasPrefix(line, deletion) {
		return
	}
	var event struct {
		Object versioned `json:"object"`
	}
	if json.Unmarshal(line, &event) != nil || event.Object.revision() == 0 {
		return
	}
	of.namespace, of.name = event.Object.Metadata.Namespace, event.Object.Metadata.Name
	d.add(death{of, event.Object.revision()})
}
