package idle

import (
	"cmp"
	"slices"
	"time"
)

// rest sums the time in which the shared components were idle. While they work for other
// scenarios, an object may wait in their queues without any operation of its own.
type rest struct {
	mark  uint64
	until time.Time
	total time.Duration
}

type span struct{ from, to time.Time }

// add counts the time until now. The spans cover all operations in flight at any time since the
// last call.
func (r *rest) add(spans []span, now time.Time) {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from.UnixNano(), b.from.UnixNano()) })
	for _, s := range spans {
		if gap := s.from.Sub(r.until); gap > 0 {
			r.total += gap
		}
		if s.to.After(r.until) {
			r.until = s.to
		}
	}
	if gap := now.Sub(r.until); gap > 0 {
		r.total += gap
		r.until = now
	}
}
