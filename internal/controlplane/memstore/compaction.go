package memstore

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

func (h *history) dropFirst() {
	e := h.events[0]
	h.release(e)
	h.events[0] = nil // for the garbage collector
	h.events = h.events[1:]
	h.bytes -= e.size()
	h.dropped = e.revision
	h.compacted = max(h.compacted, e.revision)
}

func (h *history) compact(revision int64) {
	for len(h.events) > 0 && h.events[0].revision <= revision {
		h.dropFirst()
	}
	h.compacted = max(h.compacted, revision)
}

// errTooOld returns the error for a watch that cannot start at a revision, or cannot continue. The
// API server's cache uses the same words.
func errTooOld(revision, oldest int64) error {
	return apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d (%d)", revision, oldest))
}
