package memstore

import (
	"slices"
	"sort"
	"strings"
	"sync/atomic"
)

// sharedEvents is the number of events of a resource that keep data for all their watchers:
// decoded objects of versions that are gone, and encodings. Watchers that lag behind more
// decode and encode for themselves.
const sharedEvents = 16

// history is the latest events of a resource, and who watches them. The lock of the store
// protects it.
type history struct {
	options  *Options
	events   []*event // by revision
	bytes    int
	watchers map[*watcher]struct{}

	// dropped is the revision of the latest event that is gone. A watcher that has read so far
	// misses nothing.
	dropped int64
	// compacted is the revision before which nothing can start.
	compacted int64
}

// event is one write. Only the data that its watchers share changes.
type event struct {
	revision int64
	key      string
	current  *record // nil if the object was deleted
	previous *record // nil if the object was created

	// The watchers of a resource store share these objects until the event is old.
	currentObjects, previousObjects decoded
	old                             atomic.Bool
}

func (e *event) size() int {
	if e.current == nil {
		return len(e.key)
	}
	return len(e.key) + len(e.current.data)
}

// append adds an event, drops those that are too many, and wakes the watchers.
func (h *history) append(e *event) {
	h.events = append(h.events, e)
	h.bytes += e.size()
	for len(h.events) > h.options.HistoryEvents || (h.bytes > h.options.HistoryBytes && len(h.events) > 1) {
		h.dropFirst()
	}
	if old := len(h.events) - 1 - sharedEvents; old >= 0 {
		h.release(h.events[old])
	}
	for w := range h.watchers {
		w.notify()
	}
}

// release drops the data that the watchers of an event share, as the event is old. It drops the
// previous record's objects too, since that record is no longer part of the present state.
func (h *history) release(e *event) {
	e.old.Store(true)
	e.currentObjects.drop()
	e.previousObjects.drop()
	if e.previous == nil {
		return
	}
	if h.options.DetectMutations {
		e.previous.checkMutations()
	}
	e.previous.objects.drop()
}

// restart begins a new history at a revision. Who watches the old one is told so.
func (h *history) restart(revision int64) {
	for _, e := range h.events {
		h.release(e)
	}
	h.events, h.bytes = nil, 0
	h.dropped, h.compacted = revision, revision
	for w := range h.watchers {
		w.restored.Store(true)
		w.notify()
	}
}

// since returns the events after a revision, at most limit.
func (h *history) since(revision int64, limit int) []*event {
	first := h.after(revision)
	last := min(first+limit, len(h.events))
	return slices.Clone(h.events[first:last])
}

// after is the index of the first event after a revision.
func (h *history) after(revision int64) int {
	return sort.Search(len(h.events), func(i int) bool { return h.events[i].revision > revision })
}

// undo returns a range of the present state, given in the order of its keys, as it was at
// a revision. The caller has checked that the revision is not compacted.
func (h *history) undo(present []*record, r keyRange, revision int64) []*record {
	then := map[string]*record{} // what stood under each key that was written since
	for i := len(h.events) - 1; i >= 0 && h.events[i].revision > revision; i-- {
		if e := h.events[i]; r.contains(e.key) {
			then[e.key] = e.previous
		}
	}
	if len(then) == 0 {
		return present
	}
	var old []*record
	for _, rec := range then {
		if rec != nil {
			old = append(old, rec)
		}
	}
	slices.SortFunc(old, func(a, b *record) int { return strings.Compare(a.key, b.key) })
	past := make([]*record, 0, len(present)+len(old))
	for _, rec := range present {
		for len(old) > 0 && old[0].key < rec.key {
			past, old = append(past, old[0]), old[1:]
		}
		if _, written := then[rec.key]; !written {
			past = append(past, rec)
		}
	}
	return append(past, old...)
}
