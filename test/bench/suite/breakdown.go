package suite

import (
	"fmt"
	"slices"
	"time"

	"github.com/cosi-emu/cosi-emu/emulator/journal"
	"github.com/cosi-emu/cosi-emu/test/bench/figure"
)

// span is a stretch of time.
type span struct{ begin, end time.Time }

// breakdown describes the parts of the latencies. The remainder is spent in queues, in code, and on
// the way of watch events.
func (ts latencies) breakdown() string {
	var writing, calling, rest []time.Duration
	for _, t := range ts {
		var writes, others []span
		for _, e := range t.writes {
			writes = append(writes, spanOf(e))
		}
		for _, e := range t.others {
			if e.Seam == journal.SeamRPC || e.Seam == journal.SeamAPI && verb(e) == "get" {
				others = append(others, spanOf(e))
			}
		}
		whole := span{t.begin, t.begin.Add(t.elapsed)}
		inWrites, inAll := covered(whole, writes), covered(whole, slices.Concat(writes, others))
		writing = append(writing, inWrites)
		calling = append(calling, inAll-inWrites)
		rest = append(rest, t.elapsed-inAll)
	}
	return fmt.Sprintf("of the time, %.1f ms are in writes, %.1f ms in calls to the driver and reads, %.1f ms between",
		figure.Times(writing).Median, figure.Times(calling).Median, figure.Times(rest).Median)
}

func spanOf(e journal.Event) span { return span{e.Time, e.Time.Add(e.Duration)} }

// covered returns how much of the whole lies in at least one of the spans.
func covered(whole span, spans []span) (total time.Duration) {
	slices.SortFunc(spans, func(a, b span) int { return a.begin.Compare(b.begin) })
	reached := whole.begin
	for _, s := range spans {
		begin, end := s.begin, s.end
		if begin.Before(reached) {
			begin = reached
		}
		if end.After(whole.end) {
			end = whole.end
		}
		if end.After(begin) {
			total += end.Sub(begin)
			reached = end
		}
	}
	return total
}
